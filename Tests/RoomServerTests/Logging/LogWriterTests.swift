import Dispatch
import RoomServer
import Synchronization
import Testing

struct LogWriterTests {
    /// The other end of the log, which takes what it is told to take.
    private final class Reader: Sendable {
        let text = Mutex("")
        /// How many bytes the next writes take; behind them all.
        let takes = Mutex<[Int]>([])
        /// Entered while it does not read.
        let pause = DispatchGroup()

        func take(_ bytes: [UInt8]) -> Int {
            self.pause.wait()
            let count = min(self.takes.withLock { $0.isEmpty ? Int.max : $0.removeFirst() }, bytes.count)
            self.text.withLock { $0 += String(decoding: bytes.prefix(count), as: UTF8.self) }
            return count
        }

        /// The lines, and in place of a line that says what is missing: how many.
        var lines: [String] {
            self.text.withLock(\.self).split(separator: "\n").map { line in
                line.contains("dropped=") ? "\(line.split(separator: " ").last ?? "")" : String(line)
            }
        }
    }

    private let reader = Reader()
    private let log: LogWriter

    init() {
        self.log = LogWriter(.text, usesColor: false) { [reader] in reader.take($0) }
    }

    @Test func `lines come in their order, whole`() {
        let lines = (0..<1_000).map { "\($0) \(String(repeating: "x", count: 200))" }
        for line in lines { self.log.write(line + "\n") }
        self.log.flush(within: .never)
        #expect(self.reader.lines == lines)
    }

    @Test
    func `nobody waits for a reader who does not read, and the count of what is missing stands where it is missing`() {
        self.reader.pause.enter()
        let padding = String(repeating: "x", count: 1_000)
        for number in 0..<5_000 { self.log.write("\(number) \(padding)\n") }
        self.log.flush(within: .milliseconds(1))
        #expect(self.reader.lines.isEmpty)
        self.reader.pause.leave()
        self.log.flush(within: .never)
        self.log.write("again\n")
        self.log.flush(within: .never)
        let lines = self.reader.lines
        #expect(lines.last == "again" && lines.contains { $0.hasPrefix("dropped=") })
        // Each notice stands for the lines that are missing there.
        var next = 0
        var kept = 0
        for line in lines.dropLast() {
            if line.hasPrefix("dropped="), let count = Int(line.dropFirst("dropped=".count)) {
                next += count
            } else {
                #expect(line == "\(next) \(padding)")
                next += 1
                kept += 1
            }
        }
        #expect(next == 5_000)
        // What waits is bounded, and as much may have been on its way.
        #expect((500...1_060).contains(kept), "\(kept)")
    }

    @Test func `what could not be written is counted before the next line`() {
        self.reader.takes.withLock { $0 = [0, 0] }
        self.log.write("one\n")
        self.log.flush(within: .never)
        self.log.write("two\n")
        self.log.flush(within: .never)
        #expect(self.reader.lines.isEmpty)
        self.log.write("three\n")
        self.log.flush(within: .never)
        #expect(self.reader.lines == ["dropped=2", "three"])
    }

    @Test func `a line that a full disk has cut off ends before the next one`() {
        self.reader.takes.withLock { $0 = [5] }
        self.log.write("one\ntwo\n")
        self.log.flush(within: .never)
        self.log.write("three\n")
        self.log.flush(within: .never)
        #expect(self.reader.lines == ["one", "t", "dropped=1", "three"])
    }

    @Test func `a bar is written as it is`() {
        self.log.write("\r10 %")
        self.log.flush(within: .never)
        self.log.write("\r20 %")
        self.log.flush(within: .never)
        #expect(self.reader.text.withLock(\.self) == "\r10 %\r20 %")
    }
}
