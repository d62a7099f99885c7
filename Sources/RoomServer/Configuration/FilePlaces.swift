import NIOCore
import RoomJSON

/// Where things stand in the JSON of a configuration file, as an editor shows it.
struct FilePlaces {
    private let text: ByteBuffer

    init(_ text: ByteBuffer) {
        self.text = text
    }

    /// The error in it as JSON, and its place; `nil`: none.
    func syntaxError(nestingLimit: Int) -> String? {
        self.text.withUnsafeReadableBytes { bytes in
            do throws(JSONFault) {
                _ = try JSONScanner.check(bytes, nestingLimit: nestingLimit)
                return nil
            } catch {
                let fault = error.text(in: bytes, nestingLimit: nestingLimit)
                return "\(self.place(of: error.offset)): \(fault)"
            }
        }
    }

    /// `line 3, column 5` for each key.
    func keys() -> [String: String] {
        self.text.withUnsafeReadableBytes { bytes in
            var places: [String: String] = [:]
            var scanner = JSONScanner(bytes)
            scanner.skipBlanks()
            do throws(JSONFault) {
                var isFirst = try scanner.openOrSkip()
                while let key = try scanner.nextKey(isFirst) {
                    isFirst = false
                    // The range is of what stands between the quotes.
                    places[JSONString.text(bytes.slice(key.range)) ?? ""] = self.place(of: key.range.lowerBound - 1)
                    try scanner.skipValue()
                }
            } catch {
                // It was checked before.
            }
            return places
        }
    }

    /// Both counted from 1; a column is a character.
    private func place(of offset: Int) -> String {
        let before = self.text.readableBytesView.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: line.last ?? [], as: UTF8.self).count + 1
        return "line \(max(1, line.count)), column \(column)"
    }
}
