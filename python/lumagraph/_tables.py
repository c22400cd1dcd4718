"""Results that are columns: a dictionary of names and arrays or numbers."""


class Table(dict):
    """A dictionary of columns, as `regionprops_table` and `stats().table()` return it. It is shown
    as a table in notebooks."""

    def __repr__(self):
        return f"Table({dict.__repr__(self)})"

    def _repr_html_(self):
        from ._display import table_html
        return table_html(self)
