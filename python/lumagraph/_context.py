"""Contexts: a device, its threads and its caches. Each thread has a default one."""
import operator
import os
import threading

from . import _core

_KINDS = {"auto": 0, "cpu": 1, "vulkan": 2, "cuda": 2}
_LEVELS = {"best": -1, "base": 0, "v2": 1, "v3": 2, "v4": 3, "neon": 4}


class _OfThread(threading.local):
    """The contexts of one thread: those entered with `with`, innermost last, and the default."""

    def __init__(self):
        self.entered = []
        self.default = None
        self.cuda = {}  # by CUDA's number of the device


_own = _OfThread()


def _after_fork():
    """A child of fork() has neither the threads nor the device of its parent's contexts."""
    global _own
    _own = _OfThread()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _parse_device(device):
    kind, _, index = device.partition(":")
    if kind not in _KINDS or (index and kind not in ("vulkan", "cuda")):
        raise ValueError(f"device '{device}' is neither 'auto', 'cpu', 'vulkan', 'vulkan:INDEX', 'cuda' "
                         "nor 'cuda:NUMBER'; devices() lists them")
    try:
        number = int(index) if index else 0 if kind == "cuda" else -1
    except ValueError:
        raise ValueError(f"device '{device}': '{index}' is no index of devices()") from None
    if kind == "cuda":
        return _KINDS[kind], _core.cuda_find(number), number
    return _KINDS[kind], number, None


class Context:
    """A device with its caches: what computes.

    device: "auto" (a hardware Vulkan device when one works, else the CPU), "cpu", "vulkan" or
    "vulkan:INDEX" of `devices()`, "cuda" or "cuda:NUMBER": the Vulkan device that CUDA, and so torch
    and CuPy, gives that number (0). threads: of the CPU; 0 is one per processor. cpu_level: "best",
    or a lower set of instructions to compare ("base", "v2", "v3", "v4", "neon"). strict: work that
    a Vulkan device cannot do raises DeviceError instead of being done by the CPU.

    memory: bytes that results, and what filters and measurements need besides, take on the host; what
    goes beyond lies in scratch files without names in the folder `scratch` (by default $TMPDIR or
    /var/tmp), which are mapped: a result may be larger than the memory, and is an array like others.
    Its file is gone with the last array that looks at it. A result has the same bits. Arrays that are
    passed in are where they are; np.memmap reads them from a file. A disk without room raises
    FileError. None: no limit.

    Calls take it with `context=`, or inside `with Context(...):`. One thread at a time uses a
    context; a call while another thread uses it raises. Without one, a call takes the default
    context of its thread.
    """

    __slots__ = ("_core", "_cuda", "_entered", "_progress", "__weakref__")

    def __init__(self, device="auto", threads=0, *, cpu_level="best", strict=False, cache=True, memory=None,
                 scratch=None):
        kind, index, self._cuda = _parse_device(device)
        if cpu_level not in _LEVELS:
            raise ValueError(f"cpu_level '{cpu_level}' is not one of {', '.join(_LEVELS)}")
        if threads < 0:
            raise ValueError(f"threads is {threads}; 0 means one per processor")
        if memory is not None and not 0 < operator.index(memory) < 1 << 63:
            raise ValueError(f"memory is {memory}; it is a number of bytes, or None without a limit")
        if scratch is not None and memory is None:
            raise ValueError("scratch is the folder for what goes beyond memory=BYTES, which is not given")
        self._entered, self._progress = False, None
        self._core = core = _core.Context(kind, index, threads or -1, _LEVELS[cpu_level], strict, cache)
        if memory is not None:
            core.memory(memory, os.fspath(scratch or os.environ.get("TMPDIR") or "/var/tmp"))

    def __enter__(self):
        if self._entered:
            raise RuntimeError("this context is entered already; it cannot be entered twice")
        self._handle()
        self._entered = True
        _own.entered.append(self)
        return self

    def __exit__(self, *error):
        _own.entered.remove(self)
        self._entered = False

    def _handle(self):
        if self._core is None:
            raise _core.ArgumentError("this context is closed; make another one")
        return self._core

    def close(self):
        """Gives the threads and the device back, once no plan uses them. Later calls raise."""
        core, self._core = self._core, None
        kept = getattr(_own, "plans", None)
        if kept is not None:
            kept.forget(core)

    def __del__(self):
        # The plans that run() keeps would keep the device. At the end of the interpreter _own is None.
        if getattr(self, "_core", None) is not None and _own is not None:
            self.close()

    @property
    def progress(self):
        """Is called with the share of a step that is done, from 0 to 1, now and then in long calls;
        an exception that it raises ends the call. None: nothing is called. See `Progress`."""
        return self._progress

    @progress.setter
    def progress(self, function):
        if function is not None and not callable(function):
            raise TypeError(f"progress is {function!r}; it is None or takes the share that is done")
        self._handle().progress(function)
        self._progress = function

    @property
    def device(self):
        """What the context computes on: kind, index, name, driver and threads."""
        return self._handle().device()

    @property
    def scratch_bytes(self):
        """Bytes that scratch files of this context took at the most; see `memory`."""
        return self._handle().scratch()

    def report(self):
        """What the last call ran on, its seconds, and why the CPU stepped in if it did. pixels: where
        they were, "host", "in place" (on the GPU) or "copied" (from a tensor of another library, on the
        GPU)."""
        return self._handle().report()

    def __repr__(self):
        if self._core is None:
            return "<lumagraph.Context, closed>"
        d = self.device
        return f"<lumagraph.Context {d['kind']}: {d['name']}>"


def cuda_core(number, context):
    """A context on a device of CUDA: the caller's, that of `with` where it is on it, or the thread's own."""
    if context is not None:
        return context._handle()
    if _own.entered and _own.entered[-1]._cuda == number:
        return _own.entered[-1]._handle()
    if number not in _own.cuda:
        _own.cuda[number] = _core.Context(2, _core.cuda_find(number), -1, -1, False, True)
    return _own.cuda[number]


def core_of(context, *images):
    """The context of a call: that of images on a GPU, the caller's, that of `with`, or the thread's
    own."""
    if context is not None:
        return context._handle()
    for image in images:
        if image is not None and image.home is not None:
            return image.home
    own = _own
    if own.entered:
        return own.entered[-1]._handle()
    if own.default is None:
        own.default = _core.Context(0, -1, -1, -1, False, True)
    return own.default


def devices():
    """The devices of this machine, the CPU first: a list of dictionaries.

    Where no Vulkan device is listed, `why_no_vulkan()` says why.
    """
    return _core.devices()[0]


def why_no_vulkan():
    """Why Vulkan is missing, in one line; empty where a loader answered."""
    return _core.devices()[1]
