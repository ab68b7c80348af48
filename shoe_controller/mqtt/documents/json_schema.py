"""JSON Schema (Draft 2020-12) of our message types; what a field means is taken from the text below it in the source.

msgspec can make schemas too, but knows nothing of those texts, nor that we always write every field.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import Any

import msgspec.inspect as types

Schema = dict[str, Any]


class SchemaBook:
    """Schemas by name, as they are met. A message that we write has every field; one that we read may lack some."""

    def __init__(self, refer_to: str, *, written: bool) -> None:
        self.named: dict[str, Schema] = {}
        self._refer_to = refer_to
        self._written = written
        self._owners: dict[str, type] = {}

    def ref(self, of: type) -> Schema:
        return self.schema(types.type_info(of))

    def schema(self, of: types.Type) -> Schema:  # noqa: PLR0911 - a kind of type each
        match of:
            case types.StructType() | types.EnumType():
                return self._refer(of)
            case types.UnionType():
                return self._any_of(of)
            case types.VarTupleType():
                return {"type": "array", "items": self.schema(of.item_type)}
            case types.DictType():
                return {"type": "object", "additionalProperties": self.schema(of.value_type)}
            case types.LiteralType():
                return {"enum": list(of.values)}
            case types.BoolType():
                return {"type": "boolean"}
            case types.IntType():
                return {"type": "integer"} | ({} if of.le is None else {"maximum": of.le})
            case types.StrType():
                return {"type": "string"} | ({} if of.pattern is None else {"pattern": of.pattern})
            case types.NoneType():
                return {"type": "null"}
        raise TypeError(f"messages hold no {of}; if they should, say here what its schema is")

    def struct(self, of: types.StructType) -> Schema:
        """The schema of a struct, not a reference to it."""
        texts = field_texts(of.cls)
        properties: dict[str, Schema] = {}
        required = []
        if of.tag_field is not None:
            properties[of.tag_field] = {"const": of.tag}
            required.append(of.tag_field)
        for field in of.fields:
            schema = self._field(field)
            properties[field.encode_name] = described(schema, texts.get(field.name, ""))
            if field.required or (self._written and not of.cls.__struct_config__.omit_defaults):
                required.append(field.encode_name)
        made = described({"type": "object"}, class_text(of.cls)) | {"properties": properties, "required": required}
        # What we write may grow; whoever reads it leaves alone what it does not know.
        closed = of.forbid_unknown_fields and not self._written
        return made | {"additionalProperties": False} if closed else made

    def _field(self, field: types.Field) -> Schema:
        if field.name == "schema":
            return {"const": field.default}
        return self.schema(field.type)

    def _refer(self, of: types.StructType | types.EnumType) -> Schema:
        name = of.cls.__name__
        owner = self._owners.setdefault(name, of.cls)
        if owner is not of.cls:
            raise TypeError(f"two types are called {name}: {owner} and {of.cls}; give one of them another name here")
        if name not in self.named:
            self.named[name] = {}
            self.named[name] = self.struct(of) if isinstance(of, types.StructType) else _enum(of.cls)
        return {"$ref": f"{self._refer_to}{name}"}

    def _any_of(self, of: types.UnionType) -> Schema:
        members = [self.schema(member) for member in of.types]
        plain = [member["type"] for member in members if set(member) == {"type"}]
        if len(plain) == len(members):
            return {"type": plain}
        return {"anyOf": members}


def described(schema: Schema, text: str) -> Schema:
    """With a description, which tools for older drafts would not see beside a reference."""
    if not text:
        return schema
    return {"description": text} | ({"allOf": [schema]} if "$ref" in schema else schema)


def _enum(of: type[Enum]) -> Schema:
    texts = field_texts(of)
    known = [f"{member.value}: {texts[name]}" for name, member in of.__members__.items() if name in texts]
    text = " ".join([class_text(of), *known]).strip()
    return described({"enum": [member.value for member in of]}, text)


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
        raise TypeError(f"{of} is no class in its source")
    return tree


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("`None`", "null")
