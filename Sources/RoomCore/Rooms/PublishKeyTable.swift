import NIOCore
import RoomModel

/// Keyed publishes in the order of their coming, found by their key: a ring of entries, and a hash table of positions in it
/// (open addressing, linear probing). A dictionary beside a queue takes three times as much.
struct PublishKeyTable: Equatable {
    struct Entry: Equatable {
        var id: UniqueID
        var digest: UInt64
        var stamp: UniqueID
        /// 0: its log has ended.
        var seq: UInt64
        /// Its place in `PublishKeySenders`.
        var sender: UInt32
        /// When it came.
        var second: UInt32
    }

    /// One of the ring's entries with its share of free places, and of the hash table.
    static let bytesPerEntry = 96
    private static let smallest = 4

    private var ring: ContiguousArray<Entry> = []
    private var head = 0
    private(set) var count = 0
    /// Positions in the ring, and one more; 0: free. As many as a power of two.
    private var slots: ContiguousArray<UInt32> = []

    var bytes: Int { self.count * Self.bytesPerEntry }

    var first: Entry? { self.count == 0 ? nil : self.ring[self.head] }

    var last: Entry? { self.count == 0 ? nil : self.ring[self.position(self.count - 1)] }

    /// In the order of their coming.
    var entries: some Sequence<Entry> { (0..<self.count).lazy.map { self.ring[self.position($0)] } }

    subscript(id: UniqueID) -> Entry? {
        if self.count == 0 { return nil }
        return self.entry(in: self.slot(of: id))
    }

    /// Adds an entry as the newest one, or puts it in the place of the one with the same key.
    ///
    /// - Returns: the one that it replaces.
    mutating func insert(_ entry: Entry) -> Entry? {
        if self.count == self.ring.count { self.resize(to: max(Self.smallest, self.count + self.count / 2), entry) }
        let slot = self.slot(of: entry.id)
        if let earlier = self.entry(in: slot) {
            let position = Int(self.slots[slot]) - 1
            self.ring[position] = entry
            // its place in the order is the earlier one's
            self.ring[position].second = earlier.second
            return earlier
        }
        let position = self.position(self.count)
        self.ring[position] = entry
        self.slots[slot] = UInt32(position + 1)
        self.count += 1
        return nil
    }

    mutating func removeFirst() {
        guard let first = self.first else { return }
        self.free(self.slot(of: first.id))
        self.head = self.position(1)
        self.count -= 1
        if self.count == 0 {
            self = PublishKeyTable()
        } else if self.ring.count > Self.smallest, self.count < self.ring.count / 2 {
            self.resize(to: max(Self.smallest, self.count + self.count / 4), first)
        }
    }

    mutating func forgetSeqs() {
        for offset in 0..<self.count { self.ring[self.position(offset)].seq = 0 }
    }

    private func position(_ offset: Int) -> Int {
        let position = self.head + offset
        return position < self.ring.count ? position : position - self.ring.count
    }

    private func entry(in slot: Int) -> Entry? {
        let position = self.slots[slot]
        return position == 0 ? nil : self.ring[Int(position) - 1]
    }

    // MARK: Hashing

    private func home(of id: UniqueID) -> Int { id.hashValue & (self.slots.count - 1) }

    /// Where the key is, or would be.
    private func slot(of id: UniqueID) -> Int {
        var slot = self.home(of: id)
        while let entry = self.entry(in: slot), entry.id != id { slot = (slot + 1) & (self.slots.count - 1) }
        return slot
    }

    /// Frees a slot, and moves up what lies behind it because that was taken.
    private mutating func free(_ slot: Int) {
        let mask = self.slots.count - 1
        var (free, next) = (slot, (slot + 1) & mask)
        while let entry = self.entry(in: next) {
            let home = self.home(of: entry.id)
            if (next - home) & mask >= (next - free) & mask {
                self.slots[free] = self.slots[next]
                free = next
            }
            next = (next + 1) & mask
        }
        self.slots[free] = 0
    }

    /// - Parameter filler: what stands in the free places.
    private mutating func resize(to capacity: Int, _ filler: Entry) {
        var ring = ContiguousArray<Entry>()
        ring.reserveCapacity(capacity)
        for offset in 0..<self.count { ring.append(self.ring[self.position(offset)]) }
        while ring.count < capacity { ring.append(filler) }
        self.ring = ring
        self.head = 0
        var size = 8
        while size * 3 < capacity * 4 { size *= 2 }
        self.slots = ContiguousArray(repeating: 0, count: size)
        for position in 0..<self.count { self.slots[self.slot(of: self.ring[position].id)] = UInt32(position + 1) }
    }
}

/// The senders of keyed publishes, each once however many it has sent.
struct PublishKeySenders: Equatable {
    /// The bytes of a sender, beside its JSON: its place, and the way to it.
    static let bytesPerSender = 192

    private struct Entry: Equatable {
        var sender: Sender
        var publishes: Int
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []
    private var newest: [ClientID?: UInt32] = [:]
    private var last: UInt32 = 0
    private(set) var bytes = 0

    subscript(place: UInt32) -> Sender { self.entries[Int(place)].sender }

    mutating func add(_ sender: Sender) -> UInt32 {
        if self.isAt(self.last, sender) { return self.use(self.last) }
        if let place = self.newest[sender.clientID], self.isAt(place, sender) { return self.use(place) }
        self.bytes += Self.bytes(of: sender)
        let place: UInt32
        if let free = self.free.popLast() {
            self.entries[Int(free)] = Entry(sender: sender, publishes: 0)
            place = free
        } else {
            place = UInt32(self.entries.count)
            self.entries.append(Entry(sender: sender, publishes: 0))
        }
        self.newest[sender.clientID] = place
        return self.use(place)
    }

    mutating func remove(_ place: UInt32) {
        self.entries[Int(place)].publishes -= 1
        guard self.entries[Int(place)].publishes == 0 else { return }
        let sender = self.entries[Int(place)].sender
        self.bytes -= Self.bytes(of: sender)
        if self.newest[sender.clientID] == place { self.newest[sender.clientID] = nil }
        self.entries[Int(place)].sender = .broker
        self.free.append(place)
        if self.free.count == self.entries.count { self = PublishKeySenders() }
    }

    private func isAt(_ place: UInt32, _ sender: Sender) -> Bool {
        guard Int(place) < self.entries.count, self.entries[Int(place)].publishes > 0 else { return false }
        return self.entries[Int(place)].sender == sender
    }

    private mutating func use(_ place: UInt32) -> UInt32 {
        self.entries[Int(place)].publishes += 1
        self.last = place
        return place
    }

    /// Its JSON may be there twice, with and without `authData`.
    private static func bytes(of sender: Sender) -> Int { self.bytesPerSender + 2 * sender.json.readableBytes }
}
