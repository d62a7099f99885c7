import RoomJSON
import RoomModel

/// The rooms that a frame names.
extension FrameReader {
    func room() throws(RequestError) -> RoomName {
        guard let place = self.value(.room) else { throw self.missing(.room, "the name of a room") }
        guard self.bytes[place.lowerBound] == UInt8(ascii: "\"") else { throw self.misfit(.room, "a string", place) }
        return try self.roomName(at: place)
    }

    /// `room` or `rooms`.
    func roomSelection() throws(RequestError) -> RoomSelection {
        guard let place = self.value(.rooms) else { return .one(try self.room()) }
        guard self.value(.room) == nil else {
            throw RequestError(.invalidField, "a frame has \"room\" or \"rooms\", not both")
        }
        return .many(try self.roomNames(at: place))
    }

    /// The room of a frame with an error, so far as the client could recognise it.
    var readableRoom: RoomName? {
        guard !self.scan.isRepeated(.room), let place = self.value(.room), let text = try? self.text(at: place, .room),
            text.utf8.count <= self.limits.roomName
        else { return nil }
        return RoomName(text)
    }

    private func roomNames(at place: Range<Int>) throws(RequestError) -> [Result<RoomName, RequestError>] {
        guard self.bytes[place.lowerBound] == UInt8(ascii: "[") else {
            throw self.misfit(.rooms, "an array of room names", place)
        }
        var names: [Result<RoomName, RequestError>] = []
        var elements = JSONElements(self.bytes, at: place)
        while let element = elements.next() {
            guard self.bytes[element.lowerBound] == UInt8(ascii: "\"") else {
                throw self.misfit(.rooms, "an array of strings", element)
            }
            guard names.count < self.limits.roomsPerFrame else {
                throw RequestError(.invalidField, "\"rooms\" can have at most \(self.limits.roomsPerFrame) names")
            }
            names.append(Result { () throws(RequestError) in try self.roomName(at: element) })
        }
        guard !names.isEmpty else { throw RequestError(.invalidField, "\"rooms\" must name at least one room") }
        return names
    }

    /// The name in the string at `place`.
    private func roomName(at place: Range<Int>) throws(RequestError) -> RoomName {
        guard let text = JSONString.text(self.bytes.slice((place.lowerBound + 1)..<(place.upperBound - 1))) else {
            throw RequestError(.roomNameInvalid, "a room name cannot have half of a surrogate pair")
        }
        if var fault = RoomNameRule.fault(in: text, limit: self.limits.roomName) {
            // A reply about many rooms has to name the wrong one.
            if text.utf8.count <= self.limits.roomName { fault.room = RoomName(text) }
            throw fault
        }
        return RoomName(text)
    }
}
