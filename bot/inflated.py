"""A body in the making, inflated under a cap."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

PIECE = 1 << 18
"""So many bytes are inflated at once."""


class TooLargeError(Exception):
    """A body is larger than its cap."""


class CutError(Exception):
    """A body ends before its compression does, or is not compressed as it says."""


class _Decoder(Protocol):
    def decode(self, data: bytes) -> Iterator[bytes]:
        """What `data` inflates to, made piece by piece as it is taken."""
        ...

    def is_finished(self) -> bool: ...


class _Zlib:
    """gzip (of any number of members) and both of the things that are called deflate."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._z = zlib.decompressobj(wbits)
        self._members = 0
        self._rubbish = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data and not self._rubbish:
            try:
                yield self._z.decompress(data, PIECE)
            except zlib.error as error:
                if not self._members:
                    raise CutError(str(error)) from error
                self._rubbish = True  # what follows a complete member: gzip and browsers ignore it too
                return
            data = self._z.unconsumed_tail
            if self._z.eof:
                data = self._z.unused_data.lstrip(b"\0")
                self._members += 1
                if data:
                    self._z = zlib.decompressobj(self._wbits)

    def is_finished(self) -> bool:
        return self._z.eof or self._rubbish


class _Brotli:
    def __init__(self) -> None:
        self._d = brotli.Decompressor()

    def decode(self, data: bytes) -> Iterator[bytes]:
        try:
            yield self._d.process(data, output_buffer_limit=PIECE)
            while not self._d.can_accept_more_data():
                yield self._d.process(b"", output_buffer_limit=PIECE)
        except brotli.error as error:
            raise CutError(str(error)) from error

    def is_finished(self) -> bool:
        return bool(self._d.is_finished())


class _Identity:
    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def is_finished(self) -> bool:
        return True


def _decoder(encoding: str, first: bytes) -> _Decoder:
    """By what the body is rather than by what it says: gzip is sent unnamed, and text is sent as gzip."""
    if first.startswith(b"\x1f"):
        return _Zlib(31)
    if encoding == "br":
        return _Brotli()
    if encoding == "deflate":
        return _Zlib(15 if first[0] & 0x0F == 8 else -15)
    return _Identity()


class Inflated:
    """A body in the making: takes it piece by piece as sent and never holds more than `cap` bytes of it."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._encoding = encoding
        self._cap = cap
        self._sent = 0
        self._body = bytearray()
        self._decoder: _Decoder | None = None

    def add(self, data: bytes) -> None:
        """Take the next piece; TooLargeError once either size is over the cap."""
        if not data:
            return
        self._sent += len(data)
        if self._sent > self._cap:
            raise TooLargeError
        self._decoder = self._decoder or _decoder(self._encoding, data)
        for piece in self._decoder.decode(data):
            self._body += piece
            if len(self._body) > self._cap:
                raise TooLargeError

    def body(self) -> bytes:
        """The whole; CutError where the end is missing."""
        if self._decoder and not self._decoder.is_finished():
            raise CutError("the end is missing")
        return bytes(self._body)
