"""A terminal for commands that use the whole screen: a grid of characters, and nothing that they must not do."""

import unicodedata

from command import Screen


class Grid(Screen):
    """As much of a terminal as the full screen of the chat needs; anything else fails the test."""

    MODES = {"1049", "2004", "25", "7"}

    def __init__(self, columns, rows):
        self.pending = b""
        self.styles = set()
        self.modes = {"25", "7"}
        self.bells = 0
        self.written = 0
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.height = columns, rows
        self._clear()
        self.row = self.column = 0

    def _clear(self):
        self.rows = [[" "] * self.columns for _ in range(self.height)]

    def text(self):
        return ["".join(row).rstrip() for row in self.rows]

    def cursor(self):
        return self.row, self.column

    def write(self, data):
        self.written += len(data)
        super().write(data)

    def _obey(self, private, numbers, final):
        values = [int(number) for number in numbers.split(";") if number]
        if private:
            assert numbers in self.MODES and final in "hl", f"not allowed: {numbers}{final}"
            (self.modes.add if final == "h" else self.modes.discard)(numbers)
            if numbers == "1049":
                self._clear()
                self.row = self.column = 0
        elif final == "H":
            # What was written for a larger window may come after it has become smaller.
            row, column = (values[0] - 1, values[1] - 1) if values else (0, 0)
            self.row, self.column = min(row, self.height - 1), min(column, self.columns - 1)
        elif final == "G":
            self.column = min(values[0], self.columns) - 1
        elif final == "J":
            assert values == [2]
            self._clear()
        elif final == "K":
            assert values == [2]
            self.rows[self.row] = [" "] * self.columns
        else:
            assert final == "m", f"not allowed: {numbers}{final}"
            self.styles.add(numbers)

    def _put(self, character):
        if character == "\x07":
            self.bells += 1
        elif character in "\r\n":
            # On the screen that belongs to the shell again.
            assert "1049" not in self.modes, "no line ends on a full screen"
            self.column = 0
            if character == "\n":
                self.row = min(self.row + 1, self.height - 1)
        else:
            assert unicodedata.category(character) not in ("Cc", "Zl", "Zp"), f"not allowed: {character!r}"
            if unicodedata.combining(character) or character in "\u200d\ufe0f":
                return
            wide = unicodedata.east_asian_width(character) in "WF"
            for part in [character, ""][: 1 + wide]:
                # What is too wide is cut off.
                if self.column < self.columns:
                    self.rows[self.row][self.column] = part
                    self.column += 1
