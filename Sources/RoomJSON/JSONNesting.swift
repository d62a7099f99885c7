/// The objects and arrays that are open at one place of a JSON text: one bit each, so that a bomb of brackets is cheap.
struct JSONNesting {
    private(set) var depth = 0
    /// The innermost 64 levels, the innermost lowest; a 1 is an object.
    private var levels: UInt64 = 0
    /// The levels further out, 64 in each.
    private var outer: [UInt64] = []

    var isInObject: Bool { self.levels & 1 == 1 }

    mutating func open(isObject: Bool) {
        if self.depth & 63 == 0, self.depth > 0 { self.outer.append(self.levels) }
        self.levels = self.levels << 1 | (isObject ? 1 : 0)
        self.depth += 1
    }

    mutating func close() {
        self.depth -= 1
        self.levels >>= 1
        if self.depth & 63 == 0, let levels = self.outer.popLast() { self.levels = levels }
    }
}
