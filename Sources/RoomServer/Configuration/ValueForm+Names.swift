import RoomModel

extension ValueForm<ListenAddress> {
    static var address: ValueForm {
        ValueForm(
            "HOST:PORT",
            allowed: "HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:10000 or [::1]:10000",
            format: \.description,
            read: { ListenAddress($0) }
        )
    }
}

extension ValueForm<String> {
    static var path: ValueForm {
        ValueForm("FILE", allowed: "the path of a file", format: { $0 }, read: { $0.isEmpty ? nil : $0 })
    }
}

extension ValueForm<AdminSocket> {
    private static var defaultWord: String { "default" }

    static var adminSocket: ValueForm {
        ValueForm(
            "FILE|off",
            allowed: "the path of a socket, off, or \(self.defaultWord)",
            format: { socket in
                switch socket {
                case .inDataDirectory: self.defaultWord
                case .path(let path): path
                case .off: "off"
                }
            },
            read: { text in
                switch text {
                case "": nil
                case "off": .off
                case self.defaultWord: .inDataDirectory
                default: .path(text)
                }
            }
        )
    }
}

extension ValueForm<String> {
    static var hostName: ValueForm {
        ValueForm(
            "NAME",
            allowed: "a host name without a port",
            format: { $0 },
            read: { name in
                let isName = ListenAddress("\(name):0").map { $0.host == name } ?? false
                return isName ? name : nil
            }
        )
    }
}

extension ValueForm<StorageLocation> {
    private static var memoryWord: String { ":memory:" }

    static var storage: ValueForm {
        ValueForm(
            "DIR",
            allowed: "the path of a directory, or \(self.memoryWord)",
            format: { location in
                switch location {
                case .memory: self.memoryWord
                case .directory(let path): path
                }
            },
            read: { text in
                if text.isEmpty { return nil }
                return text == self.memoryWord ? .memory : .directory(text.directoryPath)
            }
        )
    }
}

extension ValueForm<ChannelID> {
    static var channelID: ValueForm {
        ValueForm(
            "CHANNEL",
            allowed: "1 to 64 of A-Z a-z 0-9 _ -, and none of \(ChannelID.reserved.sorted().joined(separator: ", "))",
            format: \.text,
            read: { ChannelID($0) }
        )
    }
}

extension ValueForm<RoomName> {
    static var roomName: ValueForm {
        ValueForm(
            "NAME",
            allowed: "a name without control characters",
            format: \.text,
            read: { text in
                let isControlFree = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                return !text.isEmpty && isControlFree ? RoomName(text) : nil
            }
        )
    }
}

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
