import Foundation
import RoomClient

/// Joins rooms and writes what happens in them, until a signal, the end of a room, or the writer has enough.
struct TailRunner: Sendable {
    let client: RoomClient
    let writer: TailWriter
    let signals: ProcessSignals

    /// - Returns: why it could not go on; `nil` where it was to end.
    func follow(_ names: [String], history: Int, since: RoomPosition?, presence: Bool) async -> CommandFailure? {
        await withTaskGroup(of: Result<Void, CommandFailure>.self) { group in
            for name in names {
                group.addTask { await self.follow(name, history: history, since: since, presence: presence) }
            }
            group.addTask {
                for await _ in self.signals.stream { break }
                return .success(())
            }
            group.addTask {
                await self.writer.output.readerHasGone()
                return .success(())
            }
            group.addTask {
                await ConnectionWatch.report(self.client)
                return await self.endOfConnection()
            }
            let first = await group.next()
            group.cancelAll()
            if case .failure(let failure) = first { return failure }
            return nil
        }
    }

    private func follow(
        _ name: String,
        history: Int,
        since: RoomPosition?,
        presence: Bool
    ) async -> Result<Void, CommandFailure> {
        do {
            let room = try await self.client.join(name, since: since, presence: presence)
            let start = since ?? room.position
            await self.writer.begin(name, at: start)
            if history > 0, let start {
                for message in try await room.newest(history, upTo: start) {
                    if try await self.writer.write(.message(message), in: name) { return .success(()) }
                }
            }
            for await event in room.events {
                if history > 0, case .message(let message) = event, message.isBefore(start) { continue }
                if try await self.writer.write(event, in: name, at: room.position) { return .success(()) }
            }
            return room.endError.map { .failure(Self.refused($0, name)) } ?? .success(())
        } catch let error as RoomClientError {
            return error.code == .cancelled ? .success(()) : .failure(Self.refused(error, name))
        } catch let closed as StandardOutput.Closed {
            return closed.isGone ? .success(()) : .failure(CommandFailure(closed))
        } catch {
            return .failure(CommandFailure(code: .refused, text: "\(name): \(error)"))
        }
    }

    /// After the connection has ended for good.
    private func endOfConnection() async -> Result<Void, CommandFailure> {
        for await state in self.client.connectionState {
            guard case .closed(let error?) = state else { continue }
            return .failure(CommandFailure(over: error))
        }
        return .success(())
    }

    private static func refused(_ error: RoomClientError, _ room: String) -> CommandFailure {
        CommandFailure(code: .refused, text: "\(room): \(error.advice)")
    }
}
