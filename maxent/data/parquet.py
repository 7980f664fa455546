"""Tables in Parquet files."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.compute import binary_length

from maxent.data.column_names import positions
from maxent.data.line_arrays import POOL
from maxent.data.rows import NUMBERED, ROW, Cells, Numbered, Rows
from maxent.errors import InputError
from maxent.limits import SIZE, too_large

_NUMBER, _SEPARATORS = 8, 3  # bytes of a row besides its ids


def parquet_rows(title: str, data: Iterable[bytes], value: str) -> Iterator[Rows]:
    """Rows of a Parquet file; ids are read as dictionaries, which hold each id once."""
    try:
        from pyarrow.parquet import ParquetFile  # takes a while

        # 1. what the file calls the columns
        content = pa.BufferReader(b"".join(data))
        schema = ParquetFile(content).schema_arrow
        places = positions(title, schema.names, value)
        names = {column: schema.names[place] for column, place in places.items()}
        # 2. their cells
        names_of_ids = [names[column] for column in names if column != value]
        file = ParquetFile(content, read_dictionary=names_of_ids, page_checksum_verification=True)
        _require_size(f"{title}: its decompressed size", _decompressed(file.metadata, names.values()))
        table = file.read(list(names.values()), use_threads=False)
        cells = {column: _cells(table[name]) for column, name in names.items()}
    except InputError:
        raise
    except Exception as error:  # each library has its own
        reason = " ".join(str(error).split())
        raise InputError(f"{title}: truncated or corrupt ({reason}), expected a Parquet file") from error
    if not len(table):
        raise InputError(f"{title}: empty a Parquet file without rows, expected at least one line")
    # 3. the limit of a text file with these rows, as ids that repeat take little memory here
    size_of_ids = sum(_bytes(column) for column in cells.values() if isinstance(column, pa.DictionaryArray))
    _require_size(f"{title}: its size as text", size_of_ids + (_NUMBER + _SEPARATORS) * len(table))
    yield Rows(title, ROW, np.arange(len(table)), cells)


def _require_size(what: str, size: int) -> None:
    if reason := too_large(what, size, SIZE):
        raise InputError(reason)


def _decompressed(metadata: Any, names: Collection[str]) -> int:
    """Size in bytes of the pages of some columns of a Parquet file, as its metadata say."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
    wanted = [chunk for chunk in chunks if chunk.path_in_schema.split(".")[0] in names]  # paths of nested columns
    return sum(chunk.total_uncompressed_size for chunk in wanted)


def _cells(column: Any) -> Cells:
    """Cells of a column: numbered texts if these are texts, else a Series."""
    if not pa.types.is_dictionary(column.type) or not _are_texts(column.type.value_type):
        return column.to_pandas()
    texts = column.cast(NUMBERED).unify_dictionaries(POOL).combine_chunks()  # groups of rows have one each
    texts.validate(full=True)  # a damaged file may have numbers without a text
    return texts


def _are_texts(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _bytes(texts: Numbered) -> int:
    """Size of the texts of all rows, in bytes."""
    lengths = binary_length(texts.dictionary).to_numpy()
    return int(lengths[texts.indices.drop_null().to_numpy()].sum())
