"""Which paths of the inputs a diff shows: of `hostnames` only the names that come and go."""

from collections.abc import Collection, Iterable, Sequence

from pulumi.provider.experimental.provider import PropertyDiffKind

from providers.towonel.values import Plain, Properties

_IN_PLACE = (PropertyDiffKind.ADD, PropertyDiffKind.DELETE, PropertyDiffKind.UPDATE)
_REPLACING = (PropertyDiffKind.ADD_REPLACE, PropertyDiffKind.DELETE_REPLACE, PropertyDiffKind.UPDATE_REPLACE)


def changed_paths(
    old: Properties, new: Properties, keys: Iterable[str], *, replaces: Collection[str]
) -> dict[str, PropertyDiffKind]:
    """The kind of change by property path, for the `keys` that a diff has found to differ."""
    found: dict[str, PropertyDiffKind] = {}
    for key in keys:
        before, after = old.get(key), new.get(key)
        if isinstance(before, list) and isinstance(after, list) and before != after and key not in replaces:
            found |= _changed_items(key, before, after)
        else:
            add, delete, update = _REPLACING if key in replaces else _IN_PLACE
            found[key] = add if before is None else delete if after is None else update
    return found


def _changed_items(key: str, before: Sequence[Plain], after: Sequence[Plain]) -> dict[str, PropertyDiffKind]:
    gone = {index for index, item in enumerate(before) if item not in after}
    come = {index for index, item in enumerate(after) if item not in before}
    kinds = dict.fromkeys(gone, PropertyDiffKind.DELETE) | dict.fromkeys(come, PropertyDiffKind.ADD)
    kinds |= dict.fromkeys(gone & come, PropertyDiffKind.UPDATE)
    return {f"{key}[{index}]": kinds[index] for index in sorted(kinds)}
