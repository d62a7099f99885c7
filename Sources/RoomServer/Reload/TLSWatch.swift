/// Decides when to load the certificate and its key again: once they differ from those that were loaded last, and have not
/// changed from one look to the next. A renewal writes two files, one after the other.
struct TLSWatch {
    /// Whether they could be loaded or not.
    private var tried: TLSStamp
    private var seen: TLSStamp

    init(_ stamp: TLSStamp) {
        self.tried = stamp
        self.seen = stamp
    }

    /// - Returns: whether to load them now.
    mutating func looked(_ stamp: TLSStamp) -> Bool {
        defer { self.seen = stamp }
        guard stamp != self.tried, stamp == self.seen else { return false }
        self.tried = stamp
        return true
    }
}
