"""The sizes of a model, read from the metadata of its file."""

from __future__ import annotations

from dataclasses import dataclass

from maskwright.errors import ModelError
from maskwright.gguf import Gguf

__all__ = ["Dimensions"]


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The sizes of a Llama; every count is positive and they fit together."""

    layers: int
    width: int
    hidden: int
    heads: int
    #: Heads of keys and values; each serves ``heads // kv_heads`` query heads.
    kv_heads: int
    #: Numbers of one head.
    head: int
    context: int
    epsilon: float
    #: Base of the rotary frequencies.
    base: float

    @classmethod
    def from_gguf(cls, gguf: Gguf) -> Dimensions:
        """Read the sizes.

        Raises:
            ModelError: another architecture, or a variant of this one that the forward pass does not know.

        """
        read = gguf.metadata
        architecture = read.text("general.architecture", "")
        if architecture != "llama":
            raise ModelError(f"{gguf.path}: the architecture {architecture!r} is not known, only 'llama' is")
        scaling = read.text("llama.rope.scaling.type", "none")
        if scaling != "none":
            raise ModelError(f"{gguf.path}: rotary scaling {scaling!r} is not known")
        heads, width = (
            read.integer("llama.attention.head_count"),
            read.integer("llama.embedding_length"),
        )
        dimensions = cls(
            layers=read.integer("llama.block_count"),
            width=width,
            hidden=read.integer("llama.feed_forward_length"),
            heads=heads,
            kv_heads=read.integer("llama.attention.head_count_kv", heads),
            head=read.integer("llama.attention.key_length", width // max(heads, 1)),
            context=read.integer("llama.context_length"),
            epsilon=read.number("llama.attention.layer_norm_rms_epsilon"),
            base=read.number("llama.rope.freq_base", 10000.0),
        )
        dimensions._check(gguf)
        return dimensions

    def _check(self, gguf: Gguf) -> None:
        counts = (self.layers, self.width, self.hidden, self.heads, self.kv_heads, self.head, self.context)
        if min(counts) < 1:
            raise ModelError(f"{gguf.path}: a size of the model is not positive (fetch the file again)")
        if self.heads % self.kv_heads:
            raise ModelError(f"{gguf.path}: {self.kv_heads} key heads do not divide {self.heads} query heads")
        turned = gguf.metadata.integer("llama.rope.dimension_count", self.head)
        if turned != self.head or self.head % 2:
            raise ModelError(f"{gguf.path}: rotary positions on {turned} of {self.head} numbers a head are not known")
