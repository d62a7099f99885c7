/// The ready-made member data: a name and a colour.
public struct MemberProfile: Sendable, Hashable {
    /// The name as people should see it.
    public var name: String
    /// The colour that the member has chosen. Of somebody else's data what is no colour counts as none.
    public var color: MemberColor?

    /// Makes `{"name":…,"color":…}`.
    public init(name: String, color: MemberColor? = nil) {
        self.name = name
        self.color = color
    }

    /// Makes `{"name":…,"color":…}` with a colour as CSS writes it, such as `#2e7d32` or `teal`.
    ///
    /// - Throws: ``RoomClientError/Code/invalidField`` where that is no colour.
    public init(name: String, color: String) throws(RoomClientError) {
        self.init(name: name, color: try MemberColor(color))
    }

    /// The chosen colour, or else the one that everybody derives from the name.
    public var shownColor: MemberColor { self.color ?? .derived(from: self.name) }
}

extension MemberProfile: Codable {
    private enum CodingKeys: CodingKey {
        case name, color
    }

    /// Reads `{"name":…,"color":…}`; without a name it throws.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try fields.decode(String.self, forKey: .name)
        // A wrong colour of somebody else's is no reason to hide the name.
        self.color = try? fields.decode(MemberColor.self, forKey: .color)
    }
}
