import NIOCore
import RoomJSON

/// Where things stand in the JSON of a configuration file, as an editor shows it.
struct FilePlaces {
    let text: ByteBuffer

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

    /// Each key in the order of the file, and its place: `line 3, column 5`.
    func keys() -> [(key: String, place: String)] {
        self.text.withUnsafeReadableBytes { bytes in
            var places: [(key: String, place: String)] = []
            var scanner = JSONScanner(bytes)
            scanner.skipBlanks()
            do throws(JSONFault) {
                var isFirst = try scanner.openOrSkip()
                while let key = try scanner.nextKey(isFirst) {
                    isFirst = false
                    // The range is of what stands between the quotes.
                    let name = JSONString.text(bytes.slice(key.range)) ?? ""
                    places.append((name, self.place(of: key.range.lowerBound - 1)))
                    try scanner.skipValue()
                }
            } catch {
                // It was checked before.
            }
            return places
        }
    }

    /// Of the first byte that is no blank.
    var beginning: String {
        let blanks = self.text.readableBytesView.prefix { [0x09, 0x0a, 0x0d, 0x20].contains($0) }
        return self.place(of: blanks.count)
    }

    /// Both counted from 1; a column is a character.
    private func place(of offset: Int) -> String {
        let before = self.text.readableBytesView.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: line.last ?? [], as: UTF8.self).count + 1
        return "line \(max(1, line.count)), column \(column)"
    }
}
