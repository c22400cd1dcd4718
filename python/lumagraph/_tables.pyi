from typing import Any

class Table(dict[str, Any]):
    def _repr_html_(self) -> str: ...
