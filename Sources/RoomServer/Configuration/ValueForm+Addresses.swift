import RoomModel

extension ValueForm<[AddressRange]> {
    /// One or more, with commas between them.
    static var addressRanges: ValueForm {
        ValueForm(
            "CIDR[,CIDR…]",
            allowed: "addresses or ranges such as 127.0.0.1,10.0.0.0/8,2001:db8::/32, without host bits",
            format: { $0.map(\.description).joined(separator: ",") },
            read: { text in
                var ranges: [AddressRange] = []
                for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                    guard let range = AddressRange(String(part)) else { return nil }
                    ranges.append(range)
                }
                return ranges
            }
        )
    }
}
