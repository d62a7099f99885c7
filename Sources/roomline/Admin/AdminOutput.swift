import Foundation
import NIOCore
import RoomAdmin

/// Standard output in the form that was asked for, tables or JSON.
struct AdminOutput: Sendable {
    private let output: StandardOutput
    let isJSON: Bool
    let timeZone: TimeZone
    private let palette: Palette
    /// `nil` where it is not a terminal: then nothing is cut.
    private let width: Int?

    init(isJSON: Bool, output: StandardOutput = .output) {
        self.output = output
        self.isJSON = isJSON
        self.timeZone = .current
        self.palette = Palette(isTerminal: output.isTerminal, environment: ClientOptions.environment)
        self.width = output.isTerminal ? TerminalSize.columns : nil
    }

    func write(_ table: Table) throws(StandardOutput.Closed) {
        try self.write(lines: table.lines(self.palette, width: self.width))
    }

    func write(_ facts: FactTable) throws(StandardOutput.Closed) {
        try self.write(lines: facts.lines(self.palette, width: self.width))
    }

    func write(_ line: StyledLine) throws(StandardOutput.Closed) {
        try self.write(lines: [line.rendered(self.palette)])
    }

    /// Lines that are broken between words at the right edge of a terminal.
    func write(wrapped lines: [StyledLine]) throws(StandardOutput.Closed) {
        let rows = self.width.map { width in lines.flatMap { $0.rows(columns: width) } } ?? lines
        try self.write(lines: rows.map { $0.rendered(self.palette) })
    }

    /// A line that is already fit for whoever reads it, such as a token.
    func write(plain line: String) throws(StandardOutput.Closed) {
        try self.write(lines: [line])
    }

    /// One JSON value as a line. A terminal obeys nothing of what others have sent in it.
    func write(_ json: ByteBuffer) throws(StandardOutput.Closed) {
        // JSON may have line breaks between its tokens, and a line has none.
        let text = String(buffer: json).split(whereSeparator: \.isNewline).joined(separator: " ")
        try self.write(lines: [self.output.isTerminal ? TailObject.escaped(text) : text])
    }

    /// One document, in either form.
    func write<Document>(_ answer: AdminAnswer<Document>, as sheet: (Document) -> FactTable) throws {
        if self.isJSON {
            try self.write(answer.response.body)
        } else {
            try self.write(sheet(try answer.value()))
        }
    }

    private func write(lines: [String]) throws(StandardOutput.Closed) {
        try self.output.write(lines.map { $0 + "\n" }.joined())
    }
}
