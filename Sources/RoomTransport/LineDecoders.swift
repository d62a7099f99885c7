import NIOCore
import RoomDelivery
import RoomModel
import RoomWire

/// The lines of a JSON client: a frame each.
struct JSONLineDecoder: LineDecoding {
    private let decoder: FrameDecoder

    enum Item {
        case frame(ClientFrame)
        case error(RequestError)
    }

    static let unit = "frame"

    init(limits: FrameLimits) {
        self.decoder = FrameDecoder(limits: limits)
    }

    func decode(_ line: ByteBuffer) -> Item? {
        // a blank line is a keep-alive of old clients, or the second half of a CR LF
        if line.readableBytesView.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d || $0 == 0x0a }) { return nil }
        do throws(RequestError) {
            return .frame(try self.decoder.decode(line))
        } catch {
            return .error(error)
        }
    }

    func decodeTooLong(limit: Int) -> Item {
        .error(
            RequestError(.lineTooLong, "the line is longer than \(limit) bytes; it is skipped up to its newline")
        )
    }

    func flaw(of item: Item) -> String? { if case .error(let error) = item { error.text } else { nil } }

    func give(_ item: Item, to connection: Connection) -> Connection.Handling {
        switch item {
        case .frame(let frame): connection.handle(frame)
        case .error(let error): connection.handle(error)
        }
    }
}

/// The lines of a plain-text client.
struct TextLineDecoder: LineDecoding {
    let room: RoomName

    enum Item {
        case line(TextLine)
        /// Something for this client alone to read.
        case advice(String)
    }

    static let unit = "line"

    func decode(_ line: ByteBuffer) -> Item? { .line(TextLine(line)) }

    func decodeTooLong(limit: Int) -> Item { .advice("that line is longer than \(limit) bytes; it is skipped") }

    func flaw(of item: Item) -> String? {
        switch item {
        case .line(.json), .line(.invalidUTF8): "send text in UTF-8"
        case .line(.blank), .line(.name), .line(.message), .line(.help), .line(.quit), .line(.other): nil
        case .advice(let text): text
        }
    }

    func give(_ item: Item, to connection: Connection) -> Connection.Handling {
        switch item {
        case .line(let line): return connection.handle(line, room: self.room)
        case .advice(let text):
            connection.say(text)
            return .done
        }
    }
}
