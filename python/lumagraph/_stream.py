"""Streams: frames that follow each other through a plan, several of them on their way at once."""
from . import _core
from ._arrays import as_array, as_image, restore_axes
from ._run import _split_figures

class Frame:
    """A frame that has come out of a stream.

    image: the array, or None where it was not wanted. figures and measured: as of a Plan, of this frame.
    index: of all frames that were pushed, from 0. tag: the number that it was pushed with. dropped: how
    many frames the stream has left out so far.
    """

    __slots__ = ("image", "figures", "measured", "index", "tag", "dropped")

    def __init__(self, image, figures, measured, index, tag, dropped):
        self.image, self.figures, self.measured = image, figures, measured
        self.index, self.tag, self.dropped = index, tag, dropped

    def __repr__(self):
        return f"<lumagraph.Frame {self.index}: {dict(self.figures)}>"


class Stream:
    """Runs a plan on frames that follow each other: while one is computed, others are read and
    written.

    plan = lumagraph.Plan("low_pass | threshold:level=@otsu", like=first, figures=["@mean"])
    for frame in lumagraph.Stream(plan)(frames):
        frame.image, frame.figures["mean"]

    Frames come out in the order in which they went in, each with the bits that `plan(image)` gives at
    that place. depth: frames on their way, 1 to 8; with 1 each is computed where it is pushed, without
    a thread. live: a full stream drops the oldest frame that nobody computes yet, instead of waiting.

    Arrays are read where they are: one that was pushed stays as it is until its frame has come out.
    One thread at a time uses a stream. Other calls with the context of the plan wait until its frames
    are computed; a plan with a Context of its own computes meanwhile.
    """

    def __init__(self, plan, *, depth=3, live=False):
        self._plan = plan
        self._core = _core.Stream(plan._core, depth, live)
        self._depth, self._live = depth, live
        self._on_their_way = self._lost = 0

    def push(self, image, *, inputs=None, tag=0):
        """Sends a frame on its way, and waits for room where `depth` are. Frames that are computed
        keep their places until they are pulled: after depth + 1 without a pull comes a LimitError, or
        with live the oldest is dropped."""
        self._core.push(self._plan._images(image, inputs), tag)
        self._on_their_way += 1

    def pull(self, *, out=None, wait=True, pixels=True):
        """The oldest frame, or None: where nothing is on its way, and with wait=False where it is not
        computed yet.

        out: an array that gets the pixels; pixels=False: they are not wanted. The error of a frame is
        raised here, with its number as `index`, and the stream goes on with the next one.
        """
        target = None if out is None else as_image(out, *self._plan._axes, copy=False,
                                                       context=self._plan._context)
        try:
            found = self._core.pull(target, wait, pixels)
        except _core.Error as error:
            self._on_their_way -= hasattr(error, "index")
            raise
        if found is None:
            if wait:
                self._on_their_way = 0
            return None
        index, tag, dropped, image, figures = found
        self._on_their_way -= 1 + dropped - self._lost
        self._lost = dropped
        if image is not None and out is None:
            image = restore_axes(as_array(image), *self._plan._axes)
        return Frame(image if out is None or not pixels else out, *_split_figures(figures), index, tag,
                     dropped)

    def flush(self):
        """Waits until every frame is computed. They can still be pulled."""
        self._core.flush()

    def close(self):
        """Ends frames on their way early. Later calls raise."""
        self._core.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __call__(self, frames):
        """An iterator over the results of an iterable of frames: arrays, or tuples of an array and a
        dictionary of further inputs.

        It reads up to `depth` frames ahead; with live it returns a frame as soon as there is one. After
        the error of a frame it goes on with the next. Frames that an earlier iterator left are thrown
        away.
        """
        while self._on_their_way:
            try:
                self.pull(pixels=False)
            except _core.Error as error:
                if not hasattr(error, "index"):
                    raise
        return _Results(self, iter(frames))

    def __repr__(self):
        return f"<lumagraph.Stream of {self._plan.pipeline!r}, depth {self._depth}>"


class _Results:
    """What comes out of a stream. No generator, which an error would end."""

    def __init__(self, stream, source):
        self._stream, self._source = stream, source

    def __iter__(self):
        return self

    def __next__(self):
        stream = self._stream
        while self._source is not None:
            if not stream._live and stream._on_their_way >= stream._depth:
                break
            self._push_next()
            if stream._live and self._source is not None:
                frame = stream.pull(wait=False)
                if frame is not None:
                    return frame
        frame = stream.pull() if stream._on_their_way else None
        if frame is None:
            raise StopIteration
        return frame

    def _push_next(self):
        try:
            frame = next(self._source)
        except StopIteration:
            self._source = None
            return
        if isinstance(frame, tuple) and len(frame) == 2 and isinstance(frame[1], dict):
            self._stream.push(frame[0], inputs=frame[1])
        else:
            self._stream.push(frame)
