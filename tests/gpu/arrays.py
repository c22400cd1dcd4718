#!/usr/bin/env python3
"""Arrays on an NVIDIA GPU with torch and CuPy: needs the package with Vulkan, a GPU, torch and CuPy.

usage: tests/gpu/arrays.py [--rounds N]

Not part of ./dev test, as it needs that machine. Prints what was checked, and how long calls take; the exit
status is 1 when a check failed.
"""
import argparse
import time

import cupy
import numpy as np
import torch

import lumagraph as lg

failed = 0


def check(good, what):
    global failed
    failed += not good
    print("ok    " if good else "FAILED", what, flush=True)


def raises(kind, text, call, what):
    try:
        call()
    except kind as error:
        check(text in str(error), f"{what}: {error}")
    else:
        check(False, f"{what}: no error")


def same(a, b):
    """The figures of two measurements, bit for bit."""
    names = ("count", "min", "max", "sum", "mean", "variance")
    return all(np.array_equal(getattr(a, n), getattr(b, n)) for n in names)


def random(shape, dtype, seed):
    generator = np.random.default_rng(seed)
    if dtype in ("uint8", "uint16"):
        return generator.integers(0, np.iinfo(dtype).max + 1, shape, dtype)
    return generator.random(shape, np.float32).astype(dtype)


CPU = lg.Context("cpu")


def test_shapes():
    for dtype in ("uint8", "uint16", "float16", "float32"):
        for shape, axes in (((301, 417), {}), ((64, 33, 4), {"channel_axis": -1}),
                            ((65, 127, 3), {"channel_axis": -1}), ((3, 40, 50), {"layer_axis": 0})):
            pixels = random(shape, dtype, 1)
            array = lg.empty(shape, dtype, **axes)
            host = torch.from_numpy(pixels.view(np.int16) if dtype == "uint16" else pixels)
            tensor = torch.from_dlpack(array)
            (tensor.view(torch.int16) if dtype == "uint16" else tensor).copy_(host)
            wanted = lg.stats(pixels, context=CPU, **axes)
            check(same(lg.stats(array, **axes), wanted), f"in place, the array: {dtype} {shape}")
            check(same(lg.stats(tensor, **axes), wanted), f"in place, the tensor: {dtype} {shape}")
            core = array._image.home
            check(core.report()["pixels"] == "in place", "the report says in place")
            check(np.array_equal(array.numpy(), pixels), f"numpy(): {dtype} {shape}")
            if shape[-1] == 3:
                continue
            others = {"torch": host.cuda().view(tensor.dtype), "CuPy": cupy.asarray(pixels)}
            for name, foreign in others.items():
                check(same(lg.stats(foreign, **axes), wanted), f"{name}'s own: {dtype} {shape}")
                check(core.report()["pixels"] == "copied", "the report says copied")
            result = lg.run("box_blur:radius=2", tensor, **axes)
            wanted = lg.run("box_blur:radius=2", pixels, context=CPU, **axes)
            found = cupy.asnumpy(cupy.from_dlpack(result))
            check(np.array_equal(found, wanted), f"filtered: {dtype} {shape}")
            check(np.array_equal(cupy.asnumpy(cupy.asarray(result)), wanted), "by __cuda_array_interface__")


def test_more():
    pixels = random((480, 640), "uint8", 2)
    tensor = torch.from_numpy(pixels).cuda()

    def equal(call, what):
        """The same call with the tensor, and with the array on the CPU."""
        found, wanted = call(tensor, None), call(pixels, CPU)
        good = same(found, wanted) if isinstance(found, lg.Stats) else np.array_equal(found, wanted)
        check(good, what)

    equal(lambda a, c: lg.threshold_otsu(a, context=c), "threshold")
    equal(lambda a, c: lg.histogram(a, context=c)[0], "histogram")
    equal(lambda a, c: lg.label(a > 200, context=c), "label of a tensor of bool")
    equal(lambda a, c: lg.stats(a, mask=a > 99, context=c), "a mask on the GPU")
    equal(lambda a, c: lg.stats(a[10:100, 7:300], context=c), "a view")
    out = lg.empty((480, 640))
    check(lg.run("color_invert", tensor, out=out) is out, "out= is returned")
    check(np.array_equal(out.numpy(), 255 - pixels), "out=")
    view = torch.from_dlpack(out)
    lg.run("gaussian_blur:sigma=2", tensor, out=view)
    wanted = lg.run("gaussian_blur:sigma=2", pixels, context=CPU)
    check(np.array_equal(view.cpu().numpy(), wanted), "out= a tensor")
    foreign, planes = tensor.clone(), torch.zeros(3, 9, 9, device="cuda")
    raises(ValueError, "empty()", lambda: lg.run("color_invert", tensor, out=foreign), "a foreign out=")
    raises(TypeError, "not converted", lambda: lg.stats(tensor.to(torch.int32)), "int32")
    raises(ValueError, "contiguous", lambda: lg.stats(tensor.t()), "transposed")
    raises(ValueError, "contiguous", lambda: lg.stats(planes, channel_axis=0), "planes")
    raises(lg.ArgumentError, "cuda:", lambda: lg.empty((4, 4), device="cuda:77"), "no such device")
    with lg.Context("cuda:0") as context:
        check(same(lg.stats(tensor), lg.stats(pixels, context=CPU)), "a context for the block")
        check(context.report()["pixels"] == "copied", "its report")


def test_streams(rounds):
    """Work of a stream that is still going on when lumagraph is called."""
    side = torch.cuda.Stream()
    pixels = torch.arange(1024 * 1024, dtype=torch.float32, device="cuda").reshape(1024, 1024)
    array = lg.empty((1024, 1024), "float32")
    tensor = torch.from_dlpack(array)
    out = lg.empty((1024, 1024), "float32")
    read = torch.from_dlpack(out)
    wrong = 0
    with torch.cuda.stream(side):
        torch.cuda.current_stream().synchronize()
        for i in range(rounds):
            torch.add(pixels, float(i), out=tensor)
            if i % 2:
                array.stream = side.cuda_stream
                wrong += lg.stats(array).min != i
            else:
                wrong += lg.stats(tensor).min != i
            lg.run("crop:box=1024x1024", tensor, out=read)
            wrong += bool(i % 100 == 0 and float((read - pixels).max()) != i)
    check(wrong == 0, f"{rounds} rounds of torch, stats, run and torch on a stream of their own")
    for pipeline in ("", "gaussian_blur:sigma=1"):
        submit_between(pipeline, array, tensor, out, side, rounds // 5)


def submit_between(pipeline, array, tensor, out, side, rounds):
    """Submissions between kernels of torch: nobody waits until the end."""
    plan = lg.Plan(pipeline, like=array, figures=["@mean"])
    figures = lg.empty((1, 4), "float32")
    means = torch.from_dlpack(figures)
    ones = torch.ones(tensor.shape, device="cuda")
    total = torch.zeros((), dtype=torch.float64, device="cuda")
    seconds = {}
    for submits in (False, True):
        torch.cuda.synchronize()
        total.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            start = time.perf_counter()
            for i in range(rounds):
                torch.mul(ones, float(i % 5), out=tensor)
                if submits:
                    plan.submit(array, out=out, figures=figures, stream=side.cuda_stream)
                total += means[0, 0].double()
            queued = time.perf_counter() - start
            side.synchronize()
            seconds[submits] = time.perf_counter() - start
    check(float(total) == sum(i % 5 for i in range(rounds)),
          f"{rounds} submissions of '{pipeline}' between kernels of torch")
    each = [1e6 / rounds * s for s in (queued, seconds[True], seconds[False])]
    print(f"submit '{pipeline}': {each[0]:.1f} us of the host, {each[1]:.1f} us per round, torch alone "
          f"{each[2]:.1f} us")


def median(call, rounds=50):
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e6


def print_times():
    for side in (1080, 16384):
        shape = (side, 1920 if side == 1080 else side)
        array = lg.empty(shape)
        tensor = torch.from_dlpack(array)
        tensor.random_(0, 255)
        foreign = tensor.clone()
        torch.cuda.synchronize()
        core = array._image.home
        image = array._image
        for name, value in (("array", array), ("tensor in place", tensor), ("foreign tensor", foreign)):
            wall = median(lambda: lg.stats(value))
            compute = core.report()["compute"] * 1e6
            print(f"{shape[1]}x{shape[0]} {name}: {wall:.1f} us, on the device {compute:.1f} us")
        bare = median(lambda: lg.stats(image))
        print(f"{shape[1]}x{shape[0]} without the stream: {bare:.1f} us; torch's mean "
              f"{median(lambda: tensor.float().mean().item()):.1f} us, var_mean of float32 ready "
              f"{median(lambda f=tensor.float(): torch.var_mean(f)[0].item()):.1f} us")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10000)
    rounds = parser.parse_args().rounds
    print(torch.__version__, cupy.__version__, torch.cuda.get_device_name(0))
    test_shapes()
    test_more()
    test_streams(rounds)
    print_times()
    raise SystemExit(failed > 0)


main()
