"""An environment of Python with packages that are fetched with pip, for the scripts beside this one."""
import subprocess


def environment(interpreter, folder, needed):
    """The interpreter of an environment in `folder` that has what is needed; None where it cannot be had."""
    python = folder / "bin" / "python"
    steps = [] if python.exists() else [[interpreter, "-m", "venv", folder]]
    steps += [[python, "-m", "pip", "install", "-q", "--prefer-binary", *needed]]
    for step in steps:
        done = subprocess.run([str(c) for c in step], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False)
        if done.returncode:
            return None
    return python
