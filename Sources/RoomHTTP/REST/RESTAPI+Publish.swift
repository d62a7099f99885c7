import Foundation
import NIOCore
import NIOHTTP1
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel
import RoomWire

extension RESTAPI {
    func publish(
        _ request: HTTPRequest,
        to room: RoomName,
        by publisher: RESTPublisher
    ) async throws(Problem) -> HTTPResponse {
        let messageID = try request.headers.idempotencyKey()
        let message = try self.message(request)
        let result = await self.publish(message, to: room, by: publisher, messageID)
        switch result {
        case .success(let receipt): return .json(RESTAnswers.receipt(receipt))
        case .failure(let error): throw Problem(error)
        }
    }

    /// Each room by itself: what fails in one does not keep the message from the others. The status is 200 only if it is in
    /// all of them, else that of the first room that failed, so that nobody takes half for the whole.
    func publish(
        _ request: HTTPRequest,
        to rooms: [RoomName],
        by publisher: RESTPublisher
    ) async throws(Problem) -> HTTPResponse {
        let messageID = try request.headers.idempotencyKey()
        let message = try self.message(request)
        let results = await withTaskGroup { group in
            for (index, room) in rooms.enumerated() {
                group.addTask { (index, await self.publish(message, to: room, by: publisher, messageID)) }
            }
            var results: [Int: Result<ExternalPublishReceipt, RequestError>] = [:]
            for await (index, result) in group { results[index] = result }
            return rooms.enumerated().compactMap { index, room in results[index].map { (room, $0) } }
        }
        let problem = RESTAnswers.firstFailure(results).map { Problem($0) }
        var response = HTTPResponse.json(RESTAnswers.receipts(results), status: problem?.status ?? .ok)
        if let problem { response.headers.add(contentsOf: problem.headers) }
        return response
    }

    private func publish(
        _ message: ByteBuffer,
        to room: RoomName,
        by publisher: RESTPublisher,
        _ messageID: UniqueID?
    ) async -> Result<ExternalPublishReceipt, RequestError> {
        do throws(RequestError) {
            let receipt = try await self.rooms.publish(
                message,
                to: RoomKey(channel: publisher.channel, room: room),
                by: publisher.publisher(into: room),
                messageID: messageID
            )
            publisher.work.add(receipt.caused)
            return .success(receipt)
        } catch {
            publisher.work.add(Work.command)
            return .failure(error)
        }
    }

    private func message(_ request: HTTPRequest) throws(Problem) -> ByteBuffer {
        do throws(RequestError) {
            let isText = request.headers[field: "Content-Type"].map(RESTMessage.isPlainText) ?? false
            return try RESTMessage.value(of: request.body, isText: isText, limits: self.limits)
        } catch {
            throw Problem(error)
        }
    }
}

/// The caller that publishes by one request.
struct RESTPublisher: Sendable {
    let channel: ChannelID
    let access: RESTAccess
    let address: IPAddress?
    /// The work that the connection is charged for.
    let work: RequestWork

    func publisher(into room: RoomName) -> ExternalPublisher {
        ExternalPublisher(
            .rest,
            person: self.access.person,
            permission: self.access.permission(for: room, charging: self.work),
            maker: self.maker
        )
    }

    /// The user of the token, or else the address; `nil`: the admin socket.
    private var maker: RoomMaker? {
        self.access.person?.user.map { .user(self.channel, $0) } ?? self.address.map { .network($0.network) }
    }
}

/// The body of a publish.
enum RESTMessage {
    /// Whether a `Content-Type` says that the body is text and no JSON.
    static func isPlainText(_ contentType: String) -> Bool {
        let type = contentType.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased() == "text/plain"
    }

    /// The JSON value that the body is; where it is none, the string that it is.
    ///
    /// - Parameter isText: it is a string, whatever it looks like.
    /// - Throws: `RequestError` with `invalid_utf8`, `nesting_too_deep`.
    static func value(of body: ByteBuffer, isText: Bool, limits: FrameLimits) throws(RequestError) -> ByteBuffer {
        guard !isText else { return try self.string(body) }
        do throws(RequestError) {
            return try FrameDecoder(limits: limits).value(body)
        } catch {
            guard error.code == .malformedJSON else { throw error }
        }
        return try self.string(body)
    }

    private static func string(_ body: ByteBuffer) throws(RequestError) -> ByteBuffer {
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw RequestError(.invalidUTF8, "the body is neither JSON nor text in UTF-8")
        }
        var string = ByteBuffer()
        string.writeJSONString(text)
        return string
    }
}
