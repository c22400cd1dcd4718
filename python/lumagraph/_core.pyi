# The extension module, which only this package uses: what it has is checked by the tests of its users.
from typing import Any

def __getattr__(name: str) -> Any: ...
