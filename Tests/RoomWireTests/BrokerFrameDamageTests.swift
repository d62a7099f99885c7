import NIOCore
import RoomModel
import RoomWire
import Testing

/// Whatever comes from a broker, or from what stands in its place, is read or refused, and traps nowhere.
@Suite struct BrokerFrameDamageTests {
    @Test(arguments: BrokerLines.all)
    func `a line that is cut off is refused, wherever it is cut`(text: String) throws {
        let line = ByteBuffer(string: text)
        try BrokerLines.readThrough(line)
        for length in 0..<line.readableBytes {
            guard let start = line.getSlice(at: 0, length: length) else { continue }
            #expect(throws: BrokerFrameError.self) { try BrokerLines.readThrough(start) }
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a damaged line is read or refused, never more`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let bytes = Damage.frame(of: BrokerLines.all, using: &random)
            do throws(BrokerFrameError) {
                try BrokerLines.readThrough(ByteBuffer(bytes: bytes))
            } catch {
                #expect(error.text.utf8.count < 300)
            }
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a sender that was not checked does no harm`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let json = #"{"id":"Luke","kind":"broker","clientData":{"a":[1]},"authData":"\u00e9"}"#
            _ = SenderObject(ByteBuffer(bytes: Damage.frame(of: [json], using: &random)))
        }
    }
}
