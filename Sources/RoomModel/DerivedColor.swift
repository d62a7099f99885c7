/// The colour of a name for which nobody has chosen one: the same colour for the same name, everywhere. Light enough for dark
/// terminals, dark enough for white pages.
package struct DerivedColor: Equatable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(of name: String) {
        let hash = StableHash.of(name)
        let channels = [hash, hash >> 8, hash >> 16].map { UInt8(0x40 + $0 % 0x80) }
        (self.red, self.green, self.blue) = (channels[0], channels[1], channels[2])
    }

    /// As in CSS: `#rrggbb`.
    package var text: String {
        "#" + [self.red, self.green, self.blue].map { String($0, radix: 16) }.joined()
    }
}
