import NIOCore
import Testing

@testable import RoomClient

struct SenderCacheTests {
    private var cache = SenderCache()

    private mutating func sender(_ json: String) -> MessageSender {
        self.cache.sender(ByteBuffer(string: json))
    }

    @Test mutating func `senders are read, the known ones too`() throws {
        let ann = MessageSender.member(.make("ann", data: try JSON(#"{"a":1.0}"#)))
        for _ in 0..<3 {
            #expect(self.sender(#"{"id":"ann","clientData":{"a":1.0}}"#) == ann)
            #expect(self.sender(#"{"id":"bob"}"#) == .member(.make("bob")))
            #expect(self.sender(#"{"id":"roomline","kind":"broker"}"#) == .service(id: "roomline", kind: "broker"))
        }
    }

    @Test mutating func `the same member with other data is another sender`() throws {
        _ = self.sender(#"{"id":"ann","clientData":1}"#)
        #expect(self.sender(#"{"id":"ann","clientData":2}"#) == .member(.make("ann", data: try JSON("2"))))
    }

    @Test mutating func `more senders than are kept are read all the same`() {
        for round in 0..<3 {
            for number in 0..<200 {
                #expect(self.sender(#"{"id":"\#(number)"}"#) == .member(.make("\(number)")), "round \(round)")
            }
        }
    }

    @Test mutating func `what is kept is not a part of the buffer that it came in`() {
        var read = ByteBuffer(string: #"{"id":"ann","clientData":"here"}"#)
        read.writeRepeatingByte(0, count: 100_000)
        let line = read.getSlice(at: 0, length: 32) ?? read
        guard case .member(let member) = self.cache.sender(line) else { return }
        #expect(member.clientData?.description == "\"here\"")
        #expect((member.clientData?.buffer.storageCapacity ?? .max) < 1_000)
    }
}
