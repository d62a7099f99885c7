package import RoomModel

/// The proxies that PROXY headers are taken from. Where there is a rule every connection has to begin with a header:
/// one that may be left out is one that anybody may forge.
package struct ProxyRule: Sendable {
    package var trusted: [AddressRange]
    package var refusals: ProxyRefusals

    package init(trusted: [AddressRange], refusals: ProxyRefusals) {
        self.trusted = trusted
        self.refusals = refusals
    }
}
