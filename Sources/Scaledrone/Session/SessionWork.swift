import RoomClient

/// The work of a ``DroneSession``: turns the app's requests into requests of a `RoomClient`, and their results into calls of the
/// delegates.
struct SessionWork: Sendable {
    let client: RoomClient
    let requests: AsyncStream<DroneSession.Request>
    let reporter: Reporter

    /// The time that a disconnecting client waits for the acknowledgement of earlier messages.
    private static let farewellTime = Duration.seconds(2)

    /// - Parameter finish: ends ``requests``.
    func run(finish: @escaping @Sendable () -> Void) async {
        self.client.startConnecting()
        async let end = self.watch(finish: finish)
        await self.serve()
        await self.client.close()
        self.reporter.ended(await end.map { ClientError($0) })
    }

    /// Follows the connection to its end.
    ///
    /// - Returns: the error that ended it; `nil` if the app has disconnected.
    private func watch(finish: @Sendable () -> Void) async -> RoomClientError? {
        for await state in self.client.connectionState {
            switch state {
            case .idle, .connecting: break
            case .connected(let clientID): self.reporter.connected(as: clientID)
            case .waiting(_, let error): self.reporter.waits(because: ClientError(error))
            case .closed(let error):
                finish()
                return error
            }
        }
        return nil
    }

    private func serve() async {
        var rooms: [String: Task<Void, Never>] = [:]
        var farewell: Task<Void, any Error>?
        // The tasks of the group wait for answers that only report success or an error.
        await withDiscardingTaskGroup { group in
            for await request in self.requests {
                switch request {
                case .publish(let json, let room):
                    let receipt = self.client.startPublishing(json, to: room)
                    group.addTask { await self.follow(receipt, in: room) }
                case .authenticate(let token):
                    let answer = self.client.startAuthenticating(token)
                    group.addTask { await self.follow(answer) }
                case .subscribe(let subscription, let history):
                    // As in Scaledrone's client, a new subscription of a room replaces the earlier one.
                    await Self.leave(rooms.removeValue(forKey: subscription.name))
                    let joining = self.client.startJoining(subscription.name, history: history, presence: false)
                    let work = SubscriptionRunner(
                        subscription: subscription,
                        client: self.client,
                        reporter: self.reporter
                    )
                    rooms[subscription.name] = Task { await work.run(joining) }
                case .disconnect:
                    for room in rooms.values { await Self.leave(room) }
                }
            }
            if Task.isCancelled { for room in rooms.values { room.cancel() } }
            // The rooms of a closed client end by themselves.
            for room in rooms.values { await room.value }
            farewell = self.farewell()
        }
        farewell?.cancel()
        _ = await farewell?.result
    }

    private static func leave(_ room: Task<Void, Never>?) async {
        room?.cancel()
        await room?.value
    }

    /// Closes the client if acknowledgements do not come in time.
    private func farewell() -> Task<Void, any Error> {
        Task { [client] in
            try await Task.sleep(for: Self.farewellTime)
            await client.close()
        }
    }

    private func follow(_ receipt: Pending<PublishReceipt>, in room: String) async {
        do throws(RoomClientError) {
            _ = try await receipt.value()
        } catch {
            self.reporter.failed(ClientError(error, room: room))
        }
    }

    private func follow(_ authentication: Pending<Void>) async {
        do throws(RoomClientError) {
            try await authentication.value()
            self.reporter.authenticated(nil)
        } catch {
            // The app has disconnected, or has released the client.
            if error.code == .closed || error.code == .cancelled { return }
            self.reporter.authenticated(ClientError(error))
        }
    }
}
