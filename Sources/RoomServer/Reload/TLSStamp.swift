import RoomStore

/// The certificate and its key, as they were at one look.
struct TLSStamp: Equatable, Sendable {
    let certificate: FileStamp?
    let key: FileStamp?
}

extension TLSStamp {
    init(_ files: TLSFiles) {
        self.init(certificate: FileStamp(files.certificate), key: FileStamp(files.key))
    }
}
