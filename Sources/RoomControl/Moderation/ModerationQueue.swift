package import RoomCore
package import RoomModel
import ServiceLifecycle

/// Takes what members ask for as moderators off the event loops, and has the registry do it.
package struct ModerationQueue: ModerationService, Service {
    private struct Request: Sendable {
        let act: ModerationAct
        let room: RoomKey
        let moderator: Moderator
        let completion: @Sendable (Result<ModerationReceipt, RequestError>) -> Void
    }

    private let registry: ModerationRegistry
    private let rates = ModeratorRates()
    /// A monotonic time in nanoseconds.
    private let uptime: @Sendable () -> UInt64
    /// A session has one request here at most, so what waits is bounded by the number of connections.
    private let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation

    /// - Parameter uptime: a monotonic time in nanoseconds.
    package init(registry: ModerationRegistry, uptime: @escaping @Sendable () -> UInt64) {
        self.registry = registry
        self.uptime = uptime
        (self.requests, self.continuation) = AsyncStream.makeStream(of: Request.self)
    }

    package func perform(
        _ act: ModerationAct,
        in room: RoomKey,
        by moderator: Moderator,
        completion: @escaping @Sendable (Result<ModerationReceipt, RequestError>) -> Void
    ) {
        if let error = self.rates.refusal(of: moderator, in: room.channel, now: self.uptime()) {
            return completion(.failure(error))
        }
        let request = Request(act: act, room: room, moderator: moderator, completion: completion)
        guard case .enqueued = self.continuation.yield(request) else {
            completion(.failure(RequestError(.shuttingDown, "the broker is shutting down")))
            return
        }
    }

    /// Serves until the graceful shutdown, and then what was asked for by then.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await request in self.requests {
                    group.addTask { await self.answer(request) }
                }
            }
        } onGracefulShutdown: {
            self.continuation.finish()
        }
    }

    private func answer(_ request: Request) async {
        do throws(RequestError) {
            let receipt = try await self.registry.perform(request.act, in: request.room, by: request.moderator)
            request.completion(.success(receipt))
        } catch {
            request.completion(.failure(error))
        }
    }
}
