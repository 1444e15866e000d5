"""Arrays on their way to the library and back."""

import numpy as np


def over(formula, arrays, scalars, machine):
    """The values of a formula at each place of arrays that NumPy can broadcast together."""
    whole = {name: _numbers(name, array) for name, array in arrays.items()}
    spread = np.broadcast_arrays(*whole.values())
    columns = {name: np.ravel(array) for name, array in zip(whole, spread)}
    return formula._each(columns, scalars, machine).reshape(spread[0].shape)


def words(array, wants_floats, name):
    """Data for an input: 64-bit words in row-major order, without a copy where they are that already."""
    array = _numbers(name, array)
    return np.ascontiguousarray(array, dtype=np.float64 if wants_floats else array.dtype)


def _numbers(name, array):
    """Ints of any width as 64-bit ints, other numbers as doubles; no number is changed."""
    array = np.asarray(array)
    if array.dtype == np.bool_ or np.issubdtype(array.dtype, np.signedinteger):
        return array.astype(np.int64, copy=False)
    if np.issubdtype(array.dtype, np.unsignedinteger):
        if array.size and array.max() > np.iinfo(np.int64).max:
            raise OverflowError(f"{name}: {array.max()} does not fit in a 64-bit signed word")
        return array.astype(np.int64)
    if np.issubdtype(array.dtype, np.floating):
        return array.astype(np.float64, copy=False)
    raise TypeError(f"{name}: an array of ints or floats is wanted, not of {array.dtype}")
