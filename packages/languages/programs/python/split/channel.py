"""Messages between the judge and the code, over the stdin and stdout of both processes."""
import json
import os
import struct

# Parts fit into init's buffer for a program that does not read; so do as many small questions as are sent at once, and answers.
PART_BYTES, SMALL_BYTES, MAX_QUESTIONS_AT_ONCE = 1 << 20, 1 << 14, 32
# How many of the latest answers a question that was foreseen can refer to.
MAX_ANSWERS = 64
HEADER = struct.Struct('>IB')
# In place of an answer: the question refers to an earlier answer that has to be passed in full.
AGAIN = ['again']
# What a part is: the end of a message; one of several parts, and the answer to that; the end of a question that another one
# follows, which init holds back until this one is answered; the end of an answer after which init drops what it holds back.
LAST, MORE, TAKEN, NEXT, ALONE = range(5)


class Ended(Exception):
    """The other process has ended, or sent what is no message."""


class TooLarge(Ended):
    """A message is larger than this end takes."""


class Channel:
    """One end. Messages are JSON. At most one is under way, apart from questions that init holds back."""

    def __init__(self, source, sink, largest):
        self.source, self.sink, self.largest = source, sink, largest
        # Whether init has dropped what it held back when it passed on the latest message.
        self.has_dropped = False

    def send(self, message, is_alone=True):
        """Sends a message. After a small answer that is not alone, init passes on the next question."""
        text = encoded(message)
        at = 0
        while len(text) - at > PART_BYTES:
            self._write(HEADER.pack(PART_BYTES, MORE) + text[at:at + PART_BYTES])
            at += PART_BYTES
            if self._part()[0] != TAKEN:
                raise Ended
        kind = ALONE if is_alone or len(text) > SMALL_BYTES else LAST
        self._write(HEADER.pack(len(text) - at, kind) + text[at:])

    def send_all(self, texts):
        """Sends small questions at once. Init passes each on when the one before is answered."""
        kinds = [NEXT] * (len(texts) - 1) + [LAST]
        self._write(b''.join(HEADER.pack(len(text), kind) + text for text, kind in zip(texts, kinds)))

    def receive(self):
        kind, text = self._part()
        self.has_dropped = kind != LAST
        while kind == MORE and len(text) <= self.largest:
            self._write(HEADER.pack(0, TAKEN))
            kind, part = self._part()
            text += part
        if len(text) > self.largest:
            raise TooLarge
        if kind not in (LAST, NEXT, ALONE):
            raise Ended
        try:
            return decoded(text)
        except (ValueError, RecursionError):
            raise Ended from None

    def _part(self):
        size, kind = HEADER.unpack(self._read(HEADER.size))
        if size > PART_BYTES:
            raise Ended
        return kind, self._read(size)

    def _read(self, size):
        data = b''
        while len(data) < size:
            piece = os.read(self.source, size - len(data))
            if not piece:
                raise Ended
            data = data + piece if data else piece
        return data

    def _write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.sink, view):]


def encoded(message):
    # Two halves of a character that stand apart must not become one.
    return json.dumps(message, separators=(',', ':'), ensure_ascii=False).encode('utf-8', 'surrogatepass')


def decoded(text):
    return json.loads(text.decode('utf-8', 'surrogatepass'))


def take_streams(stdin):
    """Moves stdin and stdout, which join the processes, out of the program's sight. Returns both descriptors."""
    streams = os.dup(0), os.dup(1)
    os.dup2(unnamed_file(stdin), 0)
    os.dup2(unnamed_file(''), 1)
    return streams


def unnamed_file(text):
    try:
        file = os.open('/workspace', os.O_TMPFILE | os.O_RDWR, 0o600)
    except OSError:
        # Not every kernel has unnamed files.
        file = os.memfd_create('text')
    if text:
        os.write(file, text.encode('utf-8', 'replace'))
        os.lseek(file, 0, os.SEEK_SET)
    return file


def taken_output():
    """What was printed since the last call, as text of at most a part of a message."""
    import sys
    try:
        sys.__stdout__.flush()
    except (OSError, ValueError):
        pass
    size = os.lseek(1, 0, os.SEEK_CUR)
    if size == 0:
        return ''
    text = os.pread(1, min(size, PART_BYTES // 2), 0).decode('utf-8', 'replace')
    os.ftruncate(1, 0)
    os.lseek(1, 0, os.SEEK_SET)
    return text
