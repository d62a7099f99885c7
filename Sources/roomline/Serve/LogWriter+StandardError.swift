import RoomServer

extension LogWriter {
    /// The log of this process, on standard error; in colours where a terminal shows them.
    convenience init(_ format: LogFormat, environment: [String: String]) {
        let output = StandardOutput.errors
        let palette = Palette(isTerminal: output.isTerminal, environment: environment)
        self.init(format, usesColor: palette != .plain && palette != .monochrome) { bytes in
            do throws(StandardOutput.Closed) {
                try output.write(bytes)
                return bytes.count
            } catch {
                return error.written
            }
        }
    }
}
