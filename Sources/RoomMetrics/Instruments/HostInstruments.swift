import Metrics

/// What the broker depends on and cannot mend itself; `nil` for what it does not have, or the system does not tell.
package struct HostFigures: Equatable, Sendable {
    /// When the certificate that new connections get expires, in Unix seconds.
    package var certificateExpiry: Int64?
    /// What the broker's user may still write on the disk of the data directory.
    package var diskFreeBytes: Int64?
    package var diskBytes: Int64?

    package init(certificateExpiry: Int64? = nil, diskFreeBytes: Int64? = nil, diskBytes: Int64? = nil) {
        self.certificateExpiry = certificateExpiry
        self.diskFreeBytes = diskFreeBytes
        self.diskBytes = diskBytes
    }
}

struct HostInstruments {
    let factory: any MetricsFactory

    func take(_ figures: HostFigures) {
        self.set("roomline.tls.certificate.expiry.timestamp.seconds", figures.certificateExpiry)
        self.set("roomline.disk.free.bytes", figures.diskFreeBytes)
        self.set("roomline.disk.size.bytes", figures.diskBytes)
    }

    /// A value that is not known is not shown.
    private func set(_ label: String, _ value: Int64?) {
        if let value { Meter(label: label, factory: self.factory).set(value) }
    }
}
