"""What all models of the settings share: a strict and frozen base, and errors that are told where they are."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

Item = TypeVar("Item")
Many = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list in YAML, a tuple in Python."""


class Setting(BaseModel):
    """Base of all models: unknown keys are refused, nothing is converted silently, values never change."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
    )

    def given(self, *names: str) -> list[str]:
        """Return those of the field names that were written."""
        return [name for name in names if name in self.model_fields_set]


def refuse(model: Setting, problems: Mapping[str, str]) -> None:
    """Raise one error per field name, each with what was expected."""
    if problems:
        raise ValidationError.from_exception_data(
            type(model).__name__,
            [
                InitErrorDetails(
                    type=PydanticCustomError("crossfield", "{expected}", {"expected": expected}),
                    loc=(to_camel(name),),
                    input=getattr(model, name),
                )
                for name, expected in problems.items()
            ],
        )


def each_once(identity: Callable[[Item], Hashable | None], what: str) -> AfterValidator:
    """Return a validator that refuses the second item of an identity; None stands for no identity."""

    def validate(items: Sequence[Item]) -> Sequence[Item]:
        first: dict[Hashable, int] = {}
        errors: list[InitErrorDetails] = []
        for index, item in enumerate(items):
            key = identity(item)
            if key is None:
                continue
            if key in first:
                message = PydanticCustomError("duplicate", f"each {what} once; this one is there before", {})
                errors.append(InitErrorDetails(type=message, loc=(index,), input=None))
            first.setdefault(key, index)
        if errors:
            raise ValidationError.from_exception_data("list", errors)
        return items

    return AfterValidator(validate)
