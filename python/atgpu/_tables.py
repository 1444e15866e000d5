"""Rows as columns."""

import json


def columns(rows):
    """The rows of a JSON list as a dict of lists; None stands where a row has no such value."""
    flat = [_flat(row) for row in json.loads(rows)]
    names = dict.fromkeys(name for row in flat for name in row if name != "exact")
    return {name: [row.get(name) for row in flat] for name in [*names, "exact"]} if flat else {}


def _flat(row):
    """A row whose parameters and figures stand beside its program and machine."""
    rest = {name: value for name, value in row.items() if name not in ("parameters", "values")}
    return {**rest, **row["parameters"], **row["values"]}
