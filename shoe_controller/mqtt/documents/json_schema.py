"""JSON Schemas (Draft 2020-12) of our message types: msgspec makes them, and this file adds what it cannot know.

It adds the meaning of each field, from the text below it in the source, and marks every field as required: we write
all of them, while a reader ignores those it does not know.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from copy import deepcopy
from enum import Enum
from functools import cache
from typing import Any

import msgspec
import msgspec.inspect as types

Schema = dict[str, Any]
_Named = types.StructType | types.EnumType

TAGS = {
    "fact": "Says which event this is.",
    "code": "Says which code this is; the other fields are its values.",
    "act": "Says which act this is.",
}
"""The meaning of the fields that distinguish the members of a union."""


class SchemaBook:
    """The schemas of these structs, and of everything in them. References begin with `refer_to`.

    A message that we write has every field and may grow; one that we read may lack some.
    """

    def __init__(self, structs: Iterable[type[msgspec.Struct]], refer_to: str, *, written: bool) -> None:
        structs = tuple(structs)
        named = _named_types(structs)
        _, made = msgspec.json.schema_components(structs, schema_hook=_schema_hook, ref_template=f"{refer_to}{{name}}")
        self._schemas = {name: _completed(schema, named[name], written=written) for name, schema in made.items()}
        self._structs = {of.__name__ for of in structs}

    @property
    def common(self) -> dict[str, Schema]:
        """The schemas of what is in the structs, by name."""
        return {name: schema for name, schema in self._schemas.items() if name not in self._structs}

    def struct(self, of: type[msgspec.Struct]) -> Schema:
        """The schema of one of the structs, for the caller to change."""
        return deepcopy(self._schemas[of.__name__])


def _schema_hook(of: type) -> Schema:
    """For msgspec, of a type that it does not know."""
    if of is object:
        return {"description": "any JSON value"}  # msgspec takes no schema without content
    raise NotImplementedError


def _named_types(structs: tuple[type[msgspec.Struct], ...]) -> dict[str, _Named]:
    """Every struct and enum in these structs, and they themselves, by name."""
    found: dict[str, _Named] = {}
    waiting = [*types.multi_type_info(structs)]
    while waiting:
        of = waiting.pop()
        if isinstance(of, _Named):
            name = of.cls.__name__
            if name in found:
                if found[name].cls is not of.cls:
                    raise TypeError(f"two types are called {name}: {found[name].cls} and {of.cls}; rename one of them")
                continue
            found[name] = of
        waiting += _parts(of)
    return found


def _parts(of: types.Type) -> Iterator[types.Type]:
    for value in msgspec.structs.astuple(of):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, types.Field):
                yield part.type
            elif isinstance(part, types.Type):
                yield part


def _completed(schema: Schema, of: _Named, *, written: bool) -> Schema:
    if isinstance(of, types.EnumType):
        # In the order of the source, which msgspec sorts.
        return described({"type": "string", "enum": [member.value for member in of.cls]}, _enum_text(of.cls))
    made = {key: _json_schema_only(value) for key, value in schema.items() if key not in {"title", "description"}}
    texts = field_texts(of.cls)
    properties = made["properties"]
    if of.tag_field is not None:
        properties[of.tag_field] = described(properties[of.tag_field], TAGS[of.tag_field])
    for field in of.fields:
        if field.name == "schema":
            properties[field.encode_name] = {"const": field.default}
        elif written:
            properties[field.encode_name].pop("default", None)
        properties[field.encode_name] = described(properties[field.encode_name], texts.get(field.name, ""))
    if written:
        made.pop("additionalProperties", None)
        if not of.cls.__struct_config__.omit_defaults:
            made["required"] = list(made["properties"])
    return described(made, class_text(of.cls))


def _json_schema_only(schema: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Without `discriminator`, a word of OpenAPI that means something else in AsyncAPI."""
    if isinstance(schema, list | tuple):
        return [_json_schema_only(part) for part in schema]
    if isinstance(schema, dict):
        return {key: _json_schema_only(part) for key, part in schema.items() if key != "discriminator"}
    return schema


def described(schema: Schema, text: str) -> Schema:
    """With a description, which tools for older drafts would not see beside a reference."""
    if not text:
        return schema
    return {"description": text} | ({"allOf": [schema]} if "$ref" in schema else schema)


def _enum_text(of: type[Enum]) -> str:
    texts = field_texts(of)
    known = [f"{member.value}: {texts[name]}" for name, member in of.__members__.items() if name in texts]
    return " ".join([class_text(of), *known]).strip()


def class_text(of: type) -> str:
    return _one_line(ast.get_docstring(_source(of)) or "")


def field_texts(of: type) -> dict[str, str]:
    """The text below each field, those of its ancestors included."""
    texts: dict[str, str] = {}
    for cls in reversed(of.__mro__):
        if cls.__module__.partition(".")[0] in ("shoe_controller", "firmware_protocol"):
            texts |= _own_field_texts(_source(cls).body)
    return texts


def _own_field_texts(body: Iterable[ast.stmt]) -> dict[str, str]:
    texts: dict[str, str] = {}
    name: str | None = None
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=field)) | ast.Assign(targets=[ast.Name(id=field)]):
                name = field
            case ast.Expr(value=ast.Constant(value=str() as text)) if name is not None:
                texts[name] = _one_line(text)
                name = None
            case _:
                name = None
    return texts


@cache
def _source(of: type) -> ast.ClassDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(of))).body[0]
    if not isinstance(tree, ast.ClassDef):
        raise TypeError(f"{of} is not a class in its source")
    return tree


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("`None`", "null")
