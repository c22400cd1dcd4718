"""Streams: frames come out in order, with the bits of single runs, whatever the depth."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import lumagraph as lg

# Each frame depends on those before it.
REMEMBERS = "low_pass:strength=0.7 | threshold:level=@mean"


def film(count=12, shape=(40, 50)):
    return [np.random.default_rng(n).integers(0, 256, shape, dtype=np.uint8) for n in range(count)]


def plan_of(pipeline=REMEMBERS, like=None, **words):
    return lg.Plan(pipeline, film(1)[0] if like is None else like, **words)


@pytest.mark.parametrize("depth", [1, 2, 3, 8])
def test_frames_are_those_of_single_runs(depth):
    frames = film()
    alone = plan_of(figures=["mean"])
    wanted = []
    for frame in frames:
        image = alone(frame)
        wanted.append((image, alone.figures["mean"], alone.measured))
    stream = lg.Stream(plan_of(figures=["mean"]), depth=depth)
    found = list(stream(iter(frames)))
    assert [f.index for f in found] == list(range(len(frames))) and found[-1].dropped == 0
    for frame, (image, mean, measured) in zip(found, wanted, strict=True):
        assert np.array_equal(frame.image, image)
        assert frame.figures == {"mean": mean} and frame.measured == measured
    assert found[0].image is not found[1].image and list(found[0].measured.values())[0] > 0


def test_colours_layers_and_second_images():
    rgb = [np.moveaxis(f, -1, 0) for f in film(4, (20, 30, 3))]
    plan = plan_of("color_invert", rgb[0], channel_axis=0)
    for frame, given in zip(lg.Stream(plan)(rgb), rgb, strict=True):
        assert np.array_equal(frame.image, 255 - given)
    a, b = film(5), film(10)[5:]
    plan = plan_of("difference_blend:over=#other", a[0], inputs={"other": b[0]})
    found = list(lg.Stream(plan)((x, {"other": y}) for x, y in zip(a, b)))
    for frame, x, y in zip(found, a, b, strict=True):
        assert np.array_equal(frame.image, np.abs(x.astype(int) - y))


def test_push_and_pull():
    frames = film(6)
    with lg.Stream(plan_of("color_invert", figures=["mean"]), depth=2) as stream:
        assert stream.pull() is None and stream.pull(wait=False) is None
        stream.push(frames[0], tag=70)
        frame = stream.pull()
        assert (frame.index, frame.tag) == (0, 70) and np.array_equal(frame.image, 255 - frames[0])
        out = np.zeros_like(frames[0])
        stream.push(frames[1])
        assert stream.pull(out=out).image is out and np.array_equal(out, 255 - frames[1])
        stream.push(frames[2])
        frame = stream.pull(pixels=False)
        assert frame.image is None and frame.figures["mean"] == pytest.approx(1 - frames[2].mean() / 255)
        for number in (3, 4, 5):
            stream.push(frames[number])
        with pytest.raises(lg.LimitError, match="wait to be pulled"):
            stream.push(frames[0])
        stream.flush()
        assert [stream.pull(wait=False).index for _ in range(3)] == [3, 4, 5]
        assert stream.pull() is None and "depth 2" in repr(stream)
    with pytest.raises(lg.ArgumentError, match="closed"):
        stream.push(frames[0])
    with pytest.raises(lg.ArgumentError, match="closed"):
        stream.pull()


def test_what_is_refused():
    plan = plan_of("color_invert")
    for depth in (0, 9):
        with pytest.raises(lg.ArgumentError, match="depth"):
            lg.Stream(plan, depth=depth)
    stream = lg.Stream(plan)
    with pytest.raises(ValueError, match="another plan"):
        stream.push(film(1, (9, 9))[0])
    with pytest.raises(ValueError, match="images are called"):
        stream.push(film(1)[0], inputs={"other": film(1)[0]})
    stream.push(film(1)[0])
    fixed = np.zeros((40, 50), np.uint8)
    fixed.flags.writeable = False
    for out in (np.zeros((3, 3), np.uint8), np.zeros((40, 50), np.float32), fixed):
        with pytest.raises(ValueError):
            stream.pull(out=out)
    assert stream.pull().index == 0  # it was not taken


def test_an_error_leaves_the_iterator_as_it_is():
    frames = film(5)
    results = lg.Stream(plan_of("color_invert"))([*frames[:2], frames[2][1:], *frames[3:]])
    found = []
    with pytest.raises(ValueError, match="another plan"):
        while True:
            found.append(next(results))
    found += results
    assert [f.index for f in found] == [0, 1, 2, 3]
    assert np.array_equal(found[2].image, 255 - frames[3])


def test_a_live_stream_drops_frames():
    large = np.zeros((1500, 1500), np.uint8)
    stream = lg.Stream(plan_of("gaussian_blur:sigma=30:rule=exact", large), depth=2, live=True)
    for number in range(12):
        stream.push(large, tag=number)
    found = [stream.pull(), stream.pull()]
    while (frame := stream.pull()) is not None:
        found.append(frame)
    assert [f.tag for f in found] == [f.index for f in found] == sorted(f.index for f in found)
    assert found[-1].index == 11 and len(found) + found[-1].dropped == 12 and found[-1].dropped >= 8
    assert [f.index for f in lg.Stream(plan_of("color_invert"), live=True)(film(3))][-1] == 2


def test_other_calls_wait_for_the_frames():
    """The plan, its context and the stream are used in turn: nothing fails, nothing mixes."""
    frames = film(8, (300, 400))
    with lg.Context("cpu", threads=2) as context:
        plan = plan_of("gaussian_blur:sigma=9", frames[0])
        other = plan_of("color_invert", frames[0])
        first, second = lg.Stream(plan), lg.Stream(other)
        wanted = [lg.gaussian(f, 9) for f in frames]
        for frame, given, blurred in zip(first(frames), frames, wanted, strict=True):
            assert np.array_equal(frame.image, blurred)
            assert lg.stats(given).mean == given.mean()
            assert np.array_equal(plan(given), lg.gaussian(given, 9))
            second.push(given)
            assert np.array_equal(second.pull().image, 255 - given)
            assert context.report()["compute"] >= 0


def test_parameters_change_between_frames():
    frames = film(4)
    plan = plan_of("gaussian_blur:sigma=1:rule=exact")
    stream = lg.Stream(plan, depth=2)
    stream.push(frames[0])
    plan.set("gaussian_blur", "sigma", 2.5)
    stream.push(frames[0])
    one, two = stream.pull().image, stream.pull().image
    assert np.array_equal(one, lg.filters.gaussian_blur(frames[0], sigma=1, rule="exact"))
    assert np.array_equal(two, lg.filters.gaussian_blur(frames[0], sigma=2.5, rule="exact"))


def test_an_abandoned_iterator():
    frames = film(9)
    stream = lg.Stream(plan_of("color_invert"))
    for frame in stream(frames):
        if frame.index == 2:
            break
    again = list(stream(frames[:2]))
    assert len(again) == 2 and np.array_equal(again[0].image, 255 - frames[0])


def test_arrays_live_until_their_frame_is_computed():
    class Array(np.ndarray):
        pass

    stream = lg.Stream(plan_of("gaussian_blur:sigma=5"))
    arrays = [f.view(Array) for f in film(3)]
    wanted = [lg.gaussian(np.asarray(a), 5) for a in arrays]
    alive = [weakref.ref(a) for a in arrays]
    for array in arrays:
        stream.push(array)
    del arrays, array
    found = [stream.pull().image for _ in range(3)]
    stream.flush()
    gc.collect()
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))
    assert not any(r() is not None for r in alive)


@pytest.mark.parametrize("order", ["stream", "plan", "context"])
def test_ends_in_any_order_with_frames_on_their_way(order):
    context = lg.Context("cpu", threads=1)
    large = np.zeros((800, 800), np.uint8)
    plan = plan_of("gaussian_blur:sigma=30:rule=exact", large, context=context)
    stream = lg.Stream(plan, depth=4)
    for _ in range(4):
        stream.push(large)
    labels = lg.label(large, context=context)
    stream.push(large) if stream.pull() else None
    if order == "context":
        context.close()
        del context, plan, labels
    elif order == "plan":
        del labels, plan
    elif order == "stream":
        del stream
    gc.collect()
    if order != "stream":
        assert stream.pull() is not None
        stream.close()


def test_a_progress_function_ends_frames():
    class Enough(Exception):
        pass

    def enough(part):
        raise Enough

    context = lg.Context("cpu", threads=1)
    large = np.zeros((3000, 3000), np.uint8)
    stream = lg.Stream(plan_of("gaussian_blur:sigma=60:rule=exact", large, context=context), depth=2)
    context.progress = enough
    stream.push(large)
    with pytest.raises(Enough):
        stream.pull()
    context.progress = None
    stream.push(large[:, ::-1].copy())
    assert stream.pull() is not None


def test_control_c_ends_a_stream():
    large = np.zeros((3000, 3000), np.uint8)
    stream = lg.Stream(plan_of("gaussian_blur:sigma=100:rule=exact | gaussian_blur:sigma=90:rule=exact",
                               large, context=lg.Context("cpu", threads=1)))
    for _ in range(3):
        stream.push(large)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while stream.pull() is not None:
            pass
        time.sleep(30)  # the machine was faster than the timer
    stream.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_no_stream():
    script = textwrap.dedent("""
        import os, warnings
        import numpy as np
        import lumagraph as lg

        warnings.simplefilter("ignore")
        image = np.zeros((200, 300), np.uint8)
        stream = lg.Stream(lg.Plan("gaussian_blur:sigma=9", image))
        stream.push(image)
        child = os.fork()
        if child == 0:
            try:
                stream.push(image)
            except lg.DeviceError as error:
                del stream
                os._exit(0 if lg.stats(image).mean == 0 else 3)
            os._exit(4)
        assert os.waitpid(child, 0)[1] == 0 and stream.pull().index == 0
        print("good")
    """)
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, timeout=300)
    assert done.stdout == "good\n" and done.returncode == 0


def test_streams_in_threads():
    errors = []

    def work(number):
        try:
            frames = film(15, (60, 70 + number))
            with lg.Context("cpu", threads=1):
                found = list(lg.Stream(plan_of("color_invert", frames[0]))(frames))
            assert all(np.array_equal(f.image, 255 - a) for f, a in zip(found, frames, strict=True))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_vulkan_streams():
    if not any(d["kind"] == "vulkan" and d["usable"] for d in lg.devices()):
        pytest.skip("no Vulkan device: " + lg.why_no_vulkan())
    frames = film(6)
    wanted = [f.image for f in lg.Stream(plan_of(context=lg.Context("cpu")))(frames)]
    found = [f.image for f in lg.Stream(plan_of(context=lg.Context("vulkan")))(frames)]
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))
