/// One of some texts with one to three random changes: bytes replaced, dropped, repeated or put in.
enum Damage {
    static func frame(of texts: [String], using random: inout SeededRandom) -> [UInt8] {
        guard let text = texts.randomElement(using: &random) else { return [] }
        var frame = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...frame.count, using: &random)
            let byte = Self.bytes.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < frame.count: frame[place] = byte
            case 1 where place < frame.count: frame.remove(at: place)
            case 2: frame.removeSubrange(place..<min(frame.count, place + 8))
            case 3: frame.insert(contentsOf: frame[place..<min(frame.count, place + 8)], at: place)
            default: frame.insert(byte, at: place)
            }
        }
        return frame
    }

    private static let bytes =
        Array("{}[]:,\"\\ \t\n0123456789.eE+-truefalsnu/x\u{0}\u{1f}é€🙂".utf8) + [0x80, 0xc0, 0xff]
}
