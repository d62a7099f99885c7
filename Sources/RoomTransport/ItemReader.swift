import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// Turns the lines of one kind of client into items, and gives them to its connection.
protocol LineDecoding {
    associatedtype Item

    /// The word at the end of the advice to a client that sends no newline.
    static var unit: String { get }

    /// - Returns: `nil` where there is nothing to handle.
    func decode(_ line: ByteBuffer) -> Item?
    /// A line was longer than `limit` bytes.
    func decodeTooLong(limit: Int) -> Item
    /// The fault of the line; `nil`: none.
    func flaw(of item: Item) -> String?
    func give(_ item: Item, to connection: Connection) -> Connection.Handling
}

/// Gives what one client sends to its connection, in order: an item that has to wait is given again first. A class that
/// cuts items out of bytes derives from it.
///
/// The connection may call back while it is given something: nothing here is held meanwhile.
class ItemReader<Decoder: LineDecoding> {
    private let decoder: Decoder
    private var badLines: BadLines
    /// Has to be given again, once an earlier one is answered. Apart, because few connections ever have one.
    private var waiting: Waiting?

    private final class Waiting {
        let item: Decoder.Item

        init(_ item: Decoder.Item) {
            self.item = item
        }
    }

    init(_ decoder: Decoder, _ badLines: BadLines) {
        self.decoder = decoder
        self.badLines = badLines
    }

    /// Whether an item waits for the answer to an earlier one.
    final var isWaiting: Bool { self.waiting != nil }

    /// The connection was ended: nothing more of it is to be read.
    final var isCutOff: Bool { self.badLines.hasEnded }

    /// Gives the item that waits.
    final func giveAgain(to connection: Connection) -> InputFlow.Progress {
        guard !connection.isBackedUp else { return .waiting }
        guard let waiting = self.waiting.take() else { return .through }
        return self.give(waiting.item, to: connection)
    }

    final func handle(_ line: ByteBuffer, _ connection: Connection) -> InputFlow.Progress {
        connection.share.spend(Work.line(bytes: line.readableBytes))
        guard let item = self.decoder.decode(line) else { return .through }
        return self.handle(item, connection)
    }

    final func handleTooLong(limit: Int, _ connection: Connection) -> InputFlow.Progress {
        self.handle(self.decoder.decodeTooLong(limit: limit), connection)
    }

    private func handle(_ item: Decoder.Item, _ connection: Connection) -> InputFlow.Progress {
        if let flaw = self.decoder.flaw(of: item), !self.badLines.allowsOneMore(flaw, on: connection) {
            return .through
        }
        return self.give(item, to: connection)
    }

    private func give(_ item: Decoder.Item, to connection: Connection) -> InputFlow.Progress {
        switch self.decoder.give(item, to: connection) {
        case .done: return .through
        case .wait:
            self.waiting = Waiting(item)
            return .waiting
        case .unfinished:
            self.waiting = Waiting(item)
            return .outOfTurn
        }
    }
}
