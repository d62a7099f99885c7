import NIOCore
import RoomJSON
package import RoomModel

/// `unsubscribe` has no fields but the rooms, which a `subscribe` names in the same way.
extension RoomSelection: Frame {
    package var type: FrameType { .unsubscribe }

    package init(placeholder: ()) { self = .one(RoomName("")) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var (room, rooms) = (self.one, self.many)
        try visitor.field("rooms", &rooms)
        try visitor.field("room", &room)
        switch (room, rooms) {
        case (let room?, nil): self = .one(room)
        case (nil, let rooms?): self = .many(rooms.names)
        case (_?, _?): try visitor.refuse("a frame has \"room\" or \"rooms\", not both")
        case (nil, nil): try visitor.refuse(.missing("room", RoomName.self))
        }
    }

    private var one: RoomName? { if case .one(let room) = self { room } else { nil } }
    private var many: NamedRooms? { if case .many(let rooms) = self { NamedRooms(names: rooms) } else { nil } }
}

/// The names of several rooms. Those that no room can have are kept as their faults, to be answered one by one.
struct NamedRooms: FieldValue {
    let names: [Result<RoomName, RequestError>]

    static func kind(_ rule: FieldRule) -> FieldKind { .array(of: .text) }

    static func right(_ rule: FieldRule) -> String { "an array of room names" }

    static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> NamedRooms {
        let limit = found.source.roomLimit
        var (names, elements) = ([Result<RoomName, RequestError>](), try found.elements(Self.right(rule)))
        while let place = elements.next() {
            let element = found.part(place)
            guard element.first == UInt8(ascii: "\"") else { throw element.misfit("an array of strings") }
            guard names.count < limit else { throw found.unfit("can have at most \(limit) names") }
            names.append(
                Result { () throws(FieldFault) in try RoomName.read(element, .any) }.mapError { RequestError($0) }
            )
        }
        guard !names.isEmpty else { throw found.unfit("must name at least one room") }
        return NamedRooms(names: names)
    }

    func write(to buffer: inout ByteBuffer) { self.names.compactMap { try? $0.get() }.write(to: &buffer) }
}
