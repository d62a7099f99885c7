import NIOCore

/// The entries of a batch in one wire format.
struct Encoding: Sendable {
    private(set) var bytes = ByteBuffer()
    /// Where each entry ends. One that the format does not tell ends where the one before it does.
    private(set) var ends: [UInt32] = []

    init() {}

    init(capacity: Int, entries: Int) {
        self.bytes.reserveCapacity(capacity)
        self.ends.reserveCapacity(entries)
    }

    /// Appends what `write` appends to the bytes, as an entry.
    mutating func append<Result>(_ write: (inout ByteBuffer) -> Result) -> Result {
        let result = write(&self.bytes)
        self.ends.append(UInt32(self.bytes.writerIndex))
        return result
    }

    /// The number of its entries.
    var count: Int { self.ends.count }

    func range(ofEntry index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(self.ends[index - 1]))..<Int(self.ends[index])
    }

    /// The first entry that ends after `offset`; the count where none does.
    func entry(after offset: Int) -> Int {
        var (low, high) = (0, self.ends.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(self.ends[middle]) > offset {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The same with other bytes in the place of an entry. It has a buffer of its own: nothing keeps what was replaced.
    func replacing(entry index: Int, with bytes: ByteBuffer) -> Encoding {
        let (whole, range) = (self.bytes.readableBytesView, self.range(ofEntry: index))
        var result = Encoding(capacity: whole.count - range.count + bytes.readableBytes, entries: 0)
        result.bytes.writeBytes(whole[whole.startIndex..<whole.startIndex + range.lowerBound])
        result.bytes.writeImmutableBuffer(bytes)
        result.bytes.writeBytes(whole[(whole.startIndex + range.upperBound)...])
        result.ends = self.ends
        for entry in index..<result.ends.count {
            result.ends[entry] = UInt32(Int(result.ends[entry]) - range.count + bytes.readableBytes)
        }
        return result
    }

    /// The bytes that it takes of the memory window.
    var size: Int { self.bytes.storageCapacity + 4 * self.ends.count }
}
