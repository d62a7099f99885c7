import CPages
import NIOCore
import RoomCrypto

/// One file of the web pages. Its bytes are a part of the binary.
struct PageFile: Sendable {
    let name: String
    /// The media type, by the name's ending.
    let type: String
    /// For `ETag`.
    let version: String
    private let index: Int

    /// All that there are, by name.
    static let all: [String: PageFile] = Dictionary(
        uniqueKeysWithValues: (0..<page_file_count()).map { index in
            let file = PageFile(index: index)
            return (file.name, file)
        }
    )

    private init(index: Int) {
        let file = page_file_at(index)
        let name = String(cString: file.name)
        self.name = name
        self.index = index
        self.type = Self.types.first { name.hasSuffix($0.ending) }?.type ?? "application/octet-stream"
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
        self.version = "\"\(SHA256.hash(bytes).hex.prefix(32))\""
    }

    private static let types: [(ending: String, type: String)] = [
        (".html", "text/html; charset=utf-8"), (".css", "text/css; charset=utf-8"),
        (".d.ts", "text/plain; charset=utf-8"), (".js", "text/javascript; charset=utf-8"), (".svg", "image/svg+xml"),
    ]

    var bytes: ByteBuffer {
        let file = page_file_at(self.index)
        return ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.length))
    }
}
