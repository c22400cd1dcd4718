"""Contexts, threads, processes, signals, memory."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import lumagraph as lg
from lumagraph import _core

LONG = os.environ.get("LUMAGRAPH_TEST_LONG") == "1"


def picture(shape=(40, 50), seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


# ---- contexts ---------------------------------------------------------------------------------------


def test_devices():
    found = lg.devices()
    assert found[0]["kind"] == "cpu" and found[0]["usable"] and found[0]["threads"] >= 1
    assert isinstance(lg.why_no_vulkan(), str)


def test_a_context_for_a_call_and_for_a_block():
    array = picture()
    with lg.Context("cpu", threads=2) as context:
        assert context.device["threads"] == 2 and "cpu" in repr(context)
        assert lg.stats(array).mean == array.mean()
        assert context.report()["compute"] >= 0
    assert lg.stats(array, context=context).mean == array.mean()


def test_blocks_nest_and_are_left_in_order():
    outer, inner = lg.Context("cpu", threads=1), lg.Context("cpu", threads=2)
    from lumagraph._context import core_of

    with outer:
        with inner:
            assert core_of(None) is inner._core
        assert core_of(None) is outer._core
        with pytest.raises(RuntimeError, match="entered"):
            outer.__enter__()
    assert core_of(None) not in (outer._core, inner._core)
    with outer:
        pass


# ---- a limit of memory ------------------------------------------------------------------------------


def test_a_limit_of_memory_changes_no_result(tmp_path):
    array = picture((900, 1100))
    with lg.Context("cpu", threads=2, memory=1, scratch=tmp_path) as context:
        assert context.scratch_bytes == 0
        found = [lg.run("gaussian_blur:sigma=2 | swirl", array), lg.label(array > 200),
                 lg.run("canny_edge_detection", array)]
        assert context.scratch_bytes > 2 * array.size
    wanted = [lg.run("gaussian_blur:sigma=2 | swirl", array), lg.label(array > 200),
              lg.run("canny_edge_detection", array)]
    for got, want in zip(found, wanted):
        assert got.dtype == want.dtype and got.strides == want.strides and np.array_equal(got, want)
    assert list(tmp_path.iterdir()) == []


def test_arrays_in_scratch_files_outlive_their_context(tmp_path):
    array = picture((700, 800))
    context = lg.Context("cpu", threads=2, memory=1, scratch=str(tmp_path))
    mapped = lg.run("color_invert", array, context=context)
    view, labels = mapped[10:20, ::2], lg.label(array > 200, context=context)[30:40]
    context.close()
    del context, mapped
    gc.collect()
    assert np.array_equal(view, 255 - array[10:20, ::2])
    assert np.array_equal(labels > 0, array[30:40] > 200)
    view[:] = 7  # of its own pixels, which may be written
    assert (view == 7).all()
    again = view
    del view
    gc.collect()
    assert again[0, 0] == 7


def test_limits_that_are_refused(tmp_path):
    for wrong in (0, -1, 1 << 64):
        with pytest.raises(ValueError, match="memory"):
            lg.Context("cpu", memory=wrong)
    with pytest.raises(TypeError):
        lg.Context("cpu", memory="1G")
    with pytest.raises(ValueError, match="memory=BYTES"):
        lg.Context("cpu", scratch=tmp_path)
    context = lg.Context("cpu", memory=1, scratch=tmp_path / "missing")
    with pytest.raises(lg.FileError, match="scratch file"):
        lg.run("color_invert", picture((700, 800)), context=context)


def test_closed_contexts():
    context = lg.Context("cpu")
    context.close()
    assert "closed" in repr(context)
    for call in (lambda: lg.stats(picture(), context=context), context.__enter__, context.report):
        with pytest.raises(lg.ArgumentError, match="closed"):
            call()


def test_run_keeps_no_plan_of_a_context_that_is_gone():
    import weakref

    from lumagraph._context import _own

    context = lg.Context("cpu", threads=1)
    lg.run("color_invert", picture(), context=context)
    core = context._core
    assert any(entry[0] is core for entry in _own.plans.plans.values())
    gone = weakref.ref(context)
    del context
    gc.collect()
    assert gone() is None and not any(entry[0] is core for entry in _own.plans.plans.values())


@pytest.mark.parametrize(
    "words, error",
    [
        ({"device": "gpu"}, ValueError),
        ({"device": "vulkan:x"}, ValueError),
        ({"device": "cpu:1"}, ValueError),
        ({"device": "vulkan:999"}, lg.Error),
        ({"threads": -1}, ValueError),
        ({"threads": 5000}, lg.ArgumentError),
        ({"cpu_level": "v9"}, ValueError),
    ],
)
def test_contexts_that_are_refused(words, error):
    with pytest.raises(error):
        lg.Context(**words)


@pytest.mark.parametrize("level", ["base", "v2", "v3", "v4"])
def test_levels_of_the_cpu_agree(level):
    try:
        context = lg.Context("cpu", cpu_level=level)
    except lg.Error:
        pytest.skip(f"this processor or build has no {level}")
    array = picture((64, 80))
    assert lg.stats(array, context=context).variance == lg.stats(array).variance
    assert np.array_equal(lg.gaussian(array, 2, context=context), lg.gaussian(array, 2))


def test_vulkan_gives_the_same_numbers():
    if not any(d["kind"] == "vulkan" and d["usable"] for d in lg.devices()):
        pytest.skip("no Vulkan device: " + lg.why_no_vulkan())
    array, rgb = picture((64, 80)), picture((64, 80, 3))
    with lg.Context("vulkan"):
        s, colours = lg.stats(array), lg.stats(rgb, channel_axis=-1).variance
        labels, counts = lg.label(array > 128), lg.histogram(array)[0]
        otsu = lg.threshold_otsu(array)
        blurred = lg.gaussian(rgb, 2, channel_axis=-1)
    assert (s.mean, s.variance) == (lg.stats(array).mean, lg.stats(array).variance)
    assert np.array_equal(colours, lg.stats(rgb, channel_axis=-1).variance)
    assert np.array_equal(labels, lg.label(array > 128)) and np.array_equal(counts, lg.histogram(array)[0])
    assert otsu == lg.threshold_otsu(array) and np.array_equal(
        blurred, lg.gaussian(rgb, 2, channel_axis=-1)
    )


def test_tables_on_a_device_ask_their_own_context():
    if not any(d["kind"] == "vulkan" and d["usable"] for d in lg.devices()):
        pytest.skip("no Vulkan device: " + lg.why_no_vulkan())
    array, cpu, vulkan = picture((40, 50)), lg.Context("cpu"), lg.Context("vulkan")
    start, end = [(1, 2), (0, 0)], [(9, 33), (40, 50)]
    for make, ask in (
        (lg.integral_image, lambda table, **words: table.query("sum", start, end, **words)),
        (lg.Ripmap, lambda table, **words: table.query("sum", start, end, **words)),
        (lg.BoxMoments, lambda table, **words: table.query(start, end, **words)["x"]),
        (lg.SmoothSums, lambda table, **words: table.mean([(3, 4)], [(8, 9)], **words)),
    ):
        table = make(array, context=vulkan)
        expected = ask(make(array, context=cpu))
        assert np.array_equal(ask(table), expected) and np.array_equal(ask(table, context=vulkan), expected)
        with pytest.raises(lg.errors.ArgumentError, match="device of another context"):
            ask(table, context=cpu)
        with cpu:
            assert np.array_equal(ask(table), expected)
    table = lg.integral_image(array, context=vulkan)
    with pytest.raises(lg.errors.ArgumentError, match="device of another context"):
        table.update(array, context=cpu)
    table = lg.integral_image(array, context=cpu).update(array // 2, context=vulkan)
    del vulkan
    assert table.sum((0, 0), (40, 50)) == (array // 2).sum()


# ---- threads ----------------------------------------------------------------------------------------


def test_threads_have_contexts_of_their_own():
    arrays = [picture((200, 300), seed) for seed in range(6)]
    wanted = [(a.mean(), lg.label(a > 99).max()) for a in arrays]
    errors = []

    def work(number):
        try:
            for turn in range(20):
                a, (mean, most) = arrays[number], wanted[number]
                assert lg.stats(a).mean == mean
                assert lg.label(a > 99).max() == most
                assert np.array_equal(lg.run("color_invert", a), 255 - a)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(arrays))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


def busy_call(context, began):
    """A call of some seconds at most, which a signal or the end of the test shortens."""
    array = np.random.default_rng(0).random((1500, 1500), np.float32)
    image = _core.Image(array)
    plan = _core.Plan(context._core, "wide_median:radius=60", ("image",), (image,), (), -1, 0, True)
    began.set()
    return plan.run((image,), None, True)


def test_a_context_serves_one_thread_at_a_time():
    context, began, done = lg.Context("cpu", threads=1), threading.Event(), []

    def work():
        began.wait()
        while not context._core.busy() and not done:
            time.sleep(0.001)
        for _ in range(100):
            if context._core.busy():
                try:
                    lg.stats(picture(), context=context)
                    done.append("answered")
                except lg.ArgumentError as error:
                    done.append(str(error))
                break
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        busy_call(context, began)
        done.append("ended")
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    thread.join()
    assert "in use by a call of another thread" in done[0]
    assert lg.stats(picture(), context=context).mean == picture().mean()


def test_what_another_thread_drops_is_destroyed_later():
    context = lg.Context("cpu", threads=1)
    plans = [lg.Plan("color_invert", picture(), context=context) for _ in range(3)]
    began = threading.Event()

    def work():
        began.wait()
        while not context._core.busy():
            time.sleep(0.001)
        plans.clear()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        busy_call(context, began)
        time.sleep(60)
    thread.join()
    assert not plans and lg.stats(picture(), context=context).count == 2000


# ---- signals ----------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_long_call():
    context, began, ended = lg.Context("cpu", threads=1), threading.Event(), []

    def interrupt():
        began.wait()
        while not context._core.busy():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        busy_call(context, began)
        ended.append(True)
        time.sleep(60)
    assert not ended
    assert lg.stats(picture(), context=context).mean == picture().mean()


def test_handlers_of_other_signals_run_during_a_call_and_it_goes_on():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    try:
        context, began = lg.Context("cpu", threads=1), threading.Event()

        def send():
            began.wait()
            os.kill(os.getpid(), signal.SIGUSR1)

        sender = threading.Thread(target=send)
        sender.start()
        array = np.random.default_rng(0).random((300, 300), np.float32)
        began.set()
        out = lg.run("wide_median:radius=20", array, context=context)
        sender.join()
        assert np.array_equal(out, lg.run("wide_median:radius=20", array))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


# ---- processes --------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    array = picture()
    context = lg.Context("cpu", threads=2)
    plan = lg.Plan("color_invert", array, context=context)
    lg.stats(array)
    lg.stats(array, context=context)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            good = lg.stats(array).mean == array.mean() and np.array_equal(
                lg.run("color_invert", array), 255 - array
            )
            for call in (lambda: lg.stats(array, context=context), lambda: plan(array)):
                try:
                    call()
                    good = False
                except lg.DeviceError:
                    pass
            del plan, context
            code = 0 if good else 2
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    assert lg.stats(array, context=context).mean == array.mean()


def test_spawn():
    array = picture()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(lg.threshold_otsu, (array,)) == lg.threshold_otsu(array)
        state = pool.apply(lg.State.add, (lg.State.moments(array.shape, "uint8"), array))
    assert state.finish().mean == array.mean()


# ---- memory -----------------------------------------------------------------------------------------


def failing_calls(array):
    """Every kind of call that ends in an exception."""
    wide = np.full((3, 3), 0.1)
    return [
        lambda: lg.stats(wide),
        lambda: lg.stats(None),
        lambda: lg.stats(array[None]),
        lambda: lg.stats(array, array[1:]),
        lambda: lg.stats(array, region=(0, 0, 999, 1)),
        lambda: lg.stats(array, region=(0, "x")),
        lambda: lg.run("nothing", array),
        lambda: lg.run("gaussian_blur:sigma=x", array),
        lambda: lg.run("color_invert", array, out=wide),
        lambda: lg.run("color_invert", array, figures=["x"]),
        lambda: lg.figures(["maen"], array),
        lambda: lg.histogram(array, 0),
        lambda: lg.histogram(array, space="x"),
        lambda: lg.threshold(array, "x"),
        lambda: lg.threshold(array, mask=array * 0),
        lambda: lg.label(array[0]),
        lambda: lg.regionprops_table(array * 1.0),
        lambda: lg.regionprops_table(array, properties=("x",)),
        lambda: lg.regionprops_table(array[None] > 9),
        lambda: lg.Context(threads=9999),
        lambda: lg.State.from_bytes(b"x"),
        lambda: lg.State.moments((2, 2), "uint8").add(array),
        lambda: lg.integral_image(wide.astype(complex)),
        lambda: lg.integral_image(array).sum((0, 0), (0, 0)),
        lambda: lg.Plan("color_invert", array).set("x", "y", 1),
        lambda: np.asarray(_core.Image(array), order="Q"),
        lambda: _core.moments(1, 2, 3, 4),
        lambda: _core.Plan(),
        lambda: _core.Image(),
        lambda: _core.Labels(),
        lambda: lg.Stream(lg.Plan("color_invert", array), depth=9),
        lambda: lg.Stream(lg.Plan("color_invert", array)).push(array[1:]),
        lambda: lg.label(array, keep="?"),
        lambda: lg.integral_image(array).query_polygon("sum", [(0, 0), (9, 3)]),
        lambda: lg.integral_image(array).update(array[1:]),
        lambda: lg.SmoothSums(array).mean((2, 2), (4, 4)),
        lambda: lg.State.boxes(array.shape, "uint8", [(0, 0)], [(99, 4)]),
    ]


def good_calls(array):
    rgb = np.repeat(array[..., None], 3, 2)
    plan = lg.Plan("gaussian_blur:sigma=1", array, figures=["mean"])
    out = np.zeros_like(array)

    def plans():
        plan(array, out=out)
        return plan.figures, plan.explain(), plan.profile()

    return [
        lambda: lg.stats(array).table(),
        lambda: lg.stats(array[::-1], array, channel_axis=None),
        plans,
        lambda: lg.run("color_invert", rgb, channel_axis=-1),
        lambda: lg.run("brightness", array.astype(float)),
        lambda: lg.histogram(array),
        lambda: lg.histogram(array.astype(np.float32), 9),
        lambda: lg.threshold(array),
        lambda: lg.regionprops_table(
            lg.label(array > 128), array, ("label", "centroid", "perimeter", "eccentricity")
        ),
        lambda: lg.integral_image(array).sum((0, 0), (3, 3)),
        lambda: lg.figures(["mean"], array),
        lg.devices,
        lambda: np.from_dlpack(_core.Image(array)),
        lambda: lg.State.moments(array.shape, "uint8").add(array).copy(),
        lambda: lg.State.boxes(array.shape, "uint8", [(0, 0)], [(4, 4)]).add(array).copy().finish(),
        lambda: list(lg.Stream(plan)([array, array, array])),
        lambda: lg.Stream(plan).push(array),
        lambda: lg.label(array, keep="area > 1", largest=2),
        lambda: lg.regionprops_table(array[None], properties=("euler_number",)),
        lambda: lg.points(array, most=3),
        lambda: lg.integral_image(array).query_polygon("sum", [(0, 0), (9, 3), (2, 9)]),
        lambda: lg.integral_image(array).update(array).query_mask("sum", array > 9),
        lambda: lg.rectangle_boxes((6, 6), (4, 5), 20, array.shape),
        lambda: lg.SmoothSums(array).mean((2, 2), (5, 5)),
        lambda: lg.BoxMoments(array).query((2, 2), (5, 5)),
        _core.names,
        _core.figures,
    ]


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def count_leaks(turns):
    """Makes every call `turns` times, three times over: how many blocks and bytes each time left. Four
    times as many turns before that fill the interpreter's free lists."""
    array = picture((12, 16))
    calls = good_calls(array) + failing_calls(array)
    left = []
    for count in (4 * turns, turns, turns, turns):
        gc.collect()
        blocks, memory = sys.getallocatedblocks(), resident()
        for _ in range(count):
            for call in calls:
                try:
                    call()
                except Exception:
                    pass
        gc.collect()
        left.append((sys.getallocatedblocks() - blocks, resident() - memory))
    return left[1:]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
def test_calls_leave_nothing_behind():
    """A reference that is lost in every turn would leave a block in each turn of every count. In a process
    of its own, which has no history."""
    turns = 800 if LONG else 80
    folder = os.path.dirname(os.path.abspath(__file__))
    script = f"import sys; sys.path.insert(0, {folder!r}); import test_context"
    script += f"; print(test_context.count_leaks({turns}))"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    left = eval(done.stdout)
    assert min(blocks for blocks, _ in left) < turns, left
    assert min(memory for _, memory in left) < 1 << 20, left


def test_failing_calls_do_fail():
    array = picture((12, 16))
    for number, call in enumerate(failing_calls(array)):
        with pytest.raises(Exception) as caught:
            call()
        assert not isinstance(caught.value, SystemError), number


CORE_CALLS = """
from array import array as numbers
from lumagraph import _core

context = _core.Context(1, -1, 1, -1, False, False)
pixels = memoryview(bytearray(range(48))).cast("B", (6, 8))
volume = memoryview(bytes(range(48))).cast("B", (2, 3, 8))
image = _core.Image(pixels)
everything = (None, None, 0, 1, False)
plan = _core.Plan(context, "color_invert", ("image",), (image,), (("m", "mean"),), -1, 0, True)
bins = (16, 0.0, 255.0, "given", "stored", "bt709")
state = _core.Accumulator(None, 0, 1, 0, 8, 6, 1)
state.add(context, image, None, 0, 0, 0)
boxes = _core.Accumulator(numbers("q", [0, 0, 4, 4]).tobytes(), 0, 1, 0, 8, 6, 1)
sums = _core.AreaSum(context, pixels, False, False, (False, False, False, 0, 0.0, 1.0, 0, None, None))
smooth = _core.Windows(context, pixels, False, 2, 3, 0)
moments = _core.Windows(context, pixels, False, 0, 0, 0)
stream = _core.Stream(plan, 2, False)
box, odd = numbers("i", [0, 0, 4, 4]), numbers("i", [1, 1, 4, 4])
corners = numbers("d", [1, 1, 5, 1, 3, 5]).tobytes(), (3,), False


def streamed():
    try:
        stream.push((image,), 7)
    finally:
        while stream.pull(None, True, True):
            pass


calls = [
    lambda: _core.Image(pixels), lambda: _core.moments(context, image, everything, False),
    lambda: _core.histogram(context, image, everything, False, bins, (50.0,)),
    lambda: _core.threshold(context, image, everything, True, "otsu", 3, -1, 0.0, "bt709"),
    lambda: _core.label(context, image, 8, 0, 0.0, False, None, "area > 2", 3),
    lambda: _core.measure_labels(context, pixels, 8, None, ("area", "cx"), False),
    lambda: _core.measure_labels(context, volume, 26, None, ("area", "cx"), True),
    lambda: _core.points(context, image, everything, 9),
    lambda: _core.Plan(context, "color_invert", ("image",), (image,), (), -1, 0, True),
    lambda: plan.run((image,), None, True), plan.figures, plan.profile, plan.output, plan.explain,
    state.save, lambda: state.finish(0, ()), lambda: sums.query(context, "sum", box), sums.info,
    lambda: sums.query_shape(context, "sum", corners, 0, -1, 0), lambda: sums.update(context, pixels),
    lambda: _core.shape_boxes(context, corners, 8, 6, 0), smooth.info,
    lambda: smooth.query(context, odd), lambda: moments.query(context, box),
    streamed, stream.flush, lambda: _core.Stream(plan, 2, True), boxes.save,
    lambda: boxes.finish(0, ()), lambda: _core.Windows(context, pixels, False, 2, 3, 0),
    _core.devices, _core.names, _core.figures, _core.filters, context.device, context.report,
    image.__dlpack__, image.channel_names, lambda: image.shape, lambda: memoryview(image),
    lambda: _core.Accumulator(bins, 0, 1, 0, 8, 6, 1),
]
plan.run((image,), None, True)
wrong = [
    lambda: _core.Image(3), lambda: _core.Image(pixels, 1), lambda: plan.run((), None, True),
    lambda: plan.run((_core.Image(volume, None, 0),), None, True), lambda: plan.set("a", "b", "c"),
    lambda: _core.histogram(context, image, everything, False, (0, *bins[1:]), ()),
    lambda: _core.label(context, image, 7, 0, 0.0, False, None, None, 0),
    lambda: _core.label(context, image, 8, 0, 0.0, False, None, "aera > 3", 0),
    lambda: _core.measure_labels(context, pixels, 8, None, ("mean",), False),
    lambda: sums.query(context, "x", box), lambda: sums.query(context, "max", box),
    lambda: sums.query_shape(context, "sum", (corners[0], (2,), False), 0, -1, 0),
    lambda: smooth.query(context, box), lambda: sums.update(context, volume),
    lambda: stream.push((), 0), lambda: stream.pull(3, True, True), lambda: _core.Stream(plan, 9, True),
    lambda: state.merge(boxes), lambda: _core.accumulator_load(b"x", "boxes", 1, 2),
    lambda: _core.Plan(context, "x", ("image",), (image,), (), -1, 0, True),
]
"""


def survives(script):
    done = subprocess.run(
        [sys.executable, "-c", CORE_CALLS + textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0 and done.stdout == "survived\n", done.stdout + done.stderr[-2000:]


def test_no_memory():
    """Each allocation of Python's fails once: a call gives its result or MemoryError."""
    pytest.importorskip("_testcapi")
    survives("""
        from _testcapi import remove_mem_hooks, set_nomemory

        count = 0
        for call in calls:
            call()
            for start in range(1, 40):
                set_nomemory(start, start + 1)
                try:
                    call()
                except MemoryError:
                    count += 1
                finally:
                    remove_mem_hooks()
            call()
        assert count > 50, count
        print("survived")
    """)


@pytest.mark.skipif(
    not hasattr(sys, "gettotalrefcount"), reason="only a debug build of Python counts references"
)
def test_no_reference_is_lost():
    """Calls of the extension alone: libraries for a release of Python, such as NumPy, do not count."""
    survives("""
        import gc, sys

        def turns(call, count):
            for _ in range(count):
                try:
                    call()
                except Exception as error:
                    assert not isinstance(error, SystemError), error

        lost = {}
        for number, call in enumerate(calls + wrong):
            turns(call, 50)
            gc.collect()
            before = sys.gettotalrefcount()
            turns(call, 200)
            gc.collect()
            left = sys.gettotalrefcount() - before
            if abs(left) >= 100:
                lost[number] = left
        assert not lost, lost
        print("survived")
    """)


def test_numpy_is_imported_at_first_use():
    script = "import sys, lumagraph; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_module_is_made_anew():
    """Two copies of the module have types of their own and do not disturb each other."""
    import importlib.util

    spec = importlib.util.find_spec("lumagraph._core")
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    assert other.Image is not _core.Image and other.Error is not _core.Error
    image = other.Image(picture())
    with pytest.raises(TypeError):
        _core.moments(_core.Context(1, -1, 1, -1, False, False), image, (None, None, 0, 1, False), False)
    del other, image
    gc.collect()
    assert lg.stats(picture()).mean == picture().mean()
