"""Names that somebody may have meant. IPython shows no suggestions of its own."""


def like(name: str, names: list[str]) -> str:
    """"; did you mean 'median'?", or nothing."""
    from difflib import get_close_matches
    near = get_close_matches(name, names, 1, 0.7) or [n for n in names if name in n.split("_")][:1]
    return f"; did you mean '{near[0]}'?" if near else ""
