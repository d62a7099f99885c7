package import RoomModel

/// From whom PROXY headers are taken. Where there is a rule every connection has to begin with one: a header that may be
/// left out is one that anybody may forge.
package struct ProxyRule: Sendable {
    package var trusted: [AddressRange]
    package var refusals: ProxyRefusals

    package init(trusted: [AddressRange], refusals: ProxyRefusals) {
        self.trusted = trusted
        self.refusals = refusals
    }
}
