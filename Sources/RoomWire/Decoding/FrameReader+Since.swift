import RoomModel

/// `"since":{"epoch":"…","seq":n}`: where a client stopped.
extension FrameReader {
    func since() throws(RequestError) -> Position? {
        guard let place = self.value(.since) else { return nil }
        let value = self.bytes.slice(place)
        guard value.first == UInt8(ascii: "{") else { throw self.misfit(.since, "an object of epoch and seq", place) }
        guard let epoch = JSONFields.range(of: "epoch", in: value), let text = JSONString.text(at: epoch, in: value)
        else { throw RequestError(.invalidField, "\"since\" needs \"epoch\", the string of the last reply") }
        guard let seq = JSONFields.range(of: "seq", in: value),
            case .value(let number) = JSONInteger<UInt64>.read(value.slice(seq), as: UInt64.self)
        else { throw RequestError(.invalidField, "\"since\" needs \"seq\", an integer of 0 or more") }
        return Position(epoch: Epoch(text), seq: number)
    }
}
