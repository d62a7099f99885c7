import NIOCore
import ServiceLifecycle
import UnixSignals

/// Reloads at SIGHUP, and looks once a second whether the certificate has been renewed.
struct ReloadService: Service {
    private enum Occasion {
        case signal
        case look
    }

    let reload: ConfigurationReload
    /// SIGHUP.
    let signals: UnixSignalsSequence
    let status: ServiceStatus

    func run() async throws {
        let (occasions, occur) = AsyncStream.makeStream(of: Occasion.self)
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { for await _ in self.signals { occur.yield(.signal) } }
                if self.reload.usesTLS {
                    group.addTask {
                        repeat {
                            occur.yield(.look)
                        } while (try? await Task.sleep(for: .seconds(1))) != nil  // throws when cancelled
                    }
                }
                var reload = self.reload
                for await occasion in occasions {
                    switch occasion {
                    case .signal: await self.reloadAtSignal(&reload)
                    case .look: reload.look()
                    }
                }
                group.cancelAll()
            }
        }
    }

    private func reloadAtSignal(_ reload: inout ConfigurationReload) async {
        self.status.tell(.reloading(microseconds: NIODeadline.now().uptimeNanoseconds / 1_000))
        await reload.reload()
        self.status.tell(.ready)
    }
}
