import NIOCore
import NIOPosix
import RoomClient
package import RoomHost

/// Measures a broker, one workload after the other, with one thread. Works on every thread.
package final class LoadGenerator: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let target: BenchTarget
    private let peer: SocketAddress
    private let tls: BrokerTLS?
    /// `nil` where the broker runs on another machine, or cannot be found.
    package let process: HostProcess?
    private let state: NIOLoopBoundBox<State>

    private struct State {
        var current: WorkloadRun?
        var isStopped = false
    }

    /// Looks whether somebody answers at the address.
    ///
    /// - Parameter process: the broker's; `nil`: it is looked for if it is on this machine.
    package init(_ target: BenchTarget, process: HostProcess?) async throws(BenchFailure) {
        let address = target.address
        do throws(RoomClientError) {
            self.tls = try BrokerTLS(address, trustedCertificates: target.trustedCertificates)
        } catch {
            throw BenchFailure(.refused, error.message)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let channel = try await ClientBootstrap(group: group).connectTimeout(Dialer.patience)
                .connect(host: address.host, port: address.port).get()
            guard let peer = channel.remoteAddress else { throw ChannelError.alreadyClosed }
            let isHere = channel.localAddress?.ipAddress == peer.ipAddress
            try? await channel.close()
            self.peer = peer
            self.process = process ?? (isHere ? Self.broker(at: address.port) : nil)
        } catch {
            // It has nothing to end.
            try? await group.shutdownGracefully()
            throw BenchFailure(connecting: error)
        }
        self.group = group
        self.target = target
        self.loop = group.next()
        self.state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: self.loop)
    }

    private static func broker(at port: Int) -> HostProcess? {
        HostProcess.holder(ofPort: port).flatMap { $0.isRoomline && $0.isMeasurable ? $0 : nil }
    }

    /// - Parameter progress: called twice a second, on the thread that measures: it must not block.
    /// - Returns: `nil` if it was stopped before anything was measured.
    package func measure(
        _ plan: WorkloadPlan,
        progress: @escaping @Sendable (BenchProgress) -> Void
    ) async throws(BenchFailure) -> WorkloadResult? {
        let promise = self.loop.makePromise(of: WorkloadResult?.self)
        self.loop.execute {
            guard !self.state.value.isStopped else { return promise.succeed(nil) }
            let run = self.makeRun(plan, progress, promise)
            self.state.value.current = run
            run.start()
        }
        do {
            return try await promise.futureResult.get()
        } catch {
            throw error as? BenchFailure ?? BenchFailure(.refused, "\(error)")
        }
    }

    private func makeRun(
        _ plan: WorkloadPlan,
        _ progress: @escaping @Sendable (BenchProgress) -> Void,
        _ promise: EventLoopPromise<WorkloadResult?>
    ) -> WorkloadRun {
        let dialer = Dialer(
            self.loop,
            to: self.target,
            at: self.peer,
            tls: self.tls,
            run: String(UInt64.random(in: 0 ... .max), radix: 16),
            reading: plan.workload == .latency ? MarkedText(size: plan.settings.size ?? 0) : nil
        )
        return WorkloadRun(
            plan,
            dialer,
            on: self.loop,
            channel: self.target.channel,
            process: self.process,
            progress: progress,
            promise: promise
        )
    }

    /// Ends the workload that is measured just now, before its time; none is measured after it.
    package func stop() {
        self.loop.execute {
            self.state.value.isStopped = true
            self.state.value.current?.stop()
        }
    }

    /// Ends the threads. Nothing can be measured after it.
    package func shutDown() async {
        // All connections are closed: nothing is lost.
        try? await self.group.shutdownGracefully()
    }
}
