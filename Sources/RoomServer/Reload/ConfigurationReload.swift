import Logging
import RoomControl
import RoomCore
import RoomModel
import RoomStore

/// Puts in effect what has changed in the configuration and in the certificate files while the broker runs, and says what it
/// did. Whatever cannot be used leaves what there was in effect.
struct ConfigurationReload {
    /// Reads the configuration again, from where the broker has read it at its start.
    let load: @Sendable () throws(ConfigurationError) -> ServerConfiguration
    let tls: TLSCertificate?
    let threshold: LogThreshold
    let channels: ChannelRegistry
    let random: @Sendable () -> String
    let failures: ReloadFailures
    let logger: Logger
    /// The configuration that the broker runs with.
    private(set) var configuration: ServerConfiguration
    private var watch: TLSWatch?
    private var warning = CertificateWarning()

    private static let caller = AdminCaller(actor: "reload", origin: "configuration")

    init(
        of configuration: ServerConfiguration,
        load: @escaping @Sendable () throws(ConfigurationError) -> ServerConfiguration,
        tls: TLSCertificate?,
        threshold: LogThreshold,
        channels: ChannelRegistry,
        random: @escaping @Sendable () -> String,
        failures: ReloadFailures,
        logger: Logger
    ) {
        self.configuration = configuration
        self.load = load
        self.tls = tls
        self.threshold = threshold
        self.channels = channels
        self.random = random
        self.failures = failures
        self.logger = logger
        self.watch = configuration.listen.tls.map { TLSWatch(TLSStamp($0)) }
    }

    /// TLS is turned on and off by a restart only.
    var usesTLS: Bool { self.tls != nil }

    /// Somebody asks for it.
    mutating func reload() async {
        let new: ServerConfiguration
        do throws(ConfigurationError) {
            new = try self.load()
        } catch {
            self.logger.error(
                "the configuration cannot be used, the broker keeps the one before",
                metadata: ["error": "\(error)", "code": "configuration_reload_failed"]
            )
            self.failures.failed(.configuration)
            // A renewed certificate does not wait until somebody has mended the file.
            self.loadCertificate()
            return
        }
        self.failures.succeeded(.configuration)
        let plan = ReloadPlan(from: self.configuration, to: new)
        let before = self.configuration
        self.configuration = plan.configuration
        self.threshold.level = new.process.logLevel
        let watch = self.watch
        let certificate = self.loadCertificate()
        // the same files keep the stamp of before they were read: they may have been mended since
        if certificate == .refused, before.listen.tls != self.configuration.listen.tls {
            self.configuration.listen.tlsCertificate = before.listen.tlsCertificate
            self.configuration.listen.tlsKey = before.listen.tlsKey
            self.watch = watch
        }
        let haveChannelsChanged = await self.ensureChannels(new.channels)
        var changed = ReloadPlan.differences(before, self.configuration)
        // The same files may have another certificate, and the same options another effect on what is stored.
        if certificate == .replaced, !changed.contains("tls-certificate") { changed.append("tls-certificate") }
        if haveChannelsChanged, !changed.contains("channel") { changed.append("channel") }
        if changed.isEmpty {
            self.logger.notice(plan.waiting.isEmpty ? "reloaded: nothing has changed" : "reloaded: nothing changes now")
        } else {
            self.logger.notice("reloaded", metadata: ["changed": "\(changed.joined(separator: " "))"])
        }
        if !plan.waiting.isEmpty {
            self.logger.warning(
                "some options take effect after a restart only",
                metadata: ["options": "\(plan.waiting.joined(separator: " "))", "code": "restart_needed"]
            )
        }
        Exposure.warn(of: self.configuration.listen, await self.channels.channels.map(\.settings), self.logger)
    }

    /// Loads the certificate if its files have changed since they were loaded last, and looks when it ends.
    mutating func look() {
        guard let tls, let files = self.configuration.listen.tls else { return }
        if self.watch?.looked(TLSStamp(files)) == true { self.loadCertificate() }
        let term = tls.term
        if let state = self.warning.due(term, now: WallClock.milliseconds() / 1_000) {
            self.logger.warn(state, of: term, file: files.certificate)
        }
    }

    private enum CertificateLoad {
        /// The files of the configuration are in use now, and were before.
        case same
        case replaced
        /// The one before stays in use.
        case refused
    }

    @discardableResult
    private mutating func loadCertificate() -> CertificateLoad {
        guard let tls, let files = self.configuration.listen.tls else { return .same }
        self.watch = TLSWatch(TLSStamp(files))
        do throws(StartError) {
            let isAnother = try tls.load(files)
            let hadFailed = self.failures.succeeded(.certificate)
            guard isAnother || hadFailed else { return .same }
            self.logger.notice(
                isAnother ? "loaded the certificate" : "the certificate can be used again, it is the one in use",
                metadata: ["file": "\(files.certificate)", "expires": "\(CertificateTerm.text(tls.term.end))"]
            )
            return isAnother ? .replaced : .same
        } catch {
            self.logger.error(
                "the certificate cannot be used, the broker keeps the one before",
                metadata: ["error": "\(error)", "code": "tls_reload_failed"]
            )
            self.failures.failed(.certificate)
            return .refused
        }
    }

    @Sendable
    private static func details(of stored: ChannelSettings?, to settings: ChannelSettings) -> String {
        // The change matters more than what the audit log says of it.
        (try? SettingsChange(of: stored, to: settings)?.details) ?? "{}"
    }

    /// - Returns: whether one is another now.
    private func ensureChannels(_ overrides: [ChannelOverride]) async -> Bool {
        var haveChanged = false
        await self.channels.unlock(allBut: Set(overrides.map(\.id)))
        for channel in overrides {
            do throws(ControlError) {
                let hasChanged = try await self.channels.ensure(
                    channel.id,
                    locks: channel.locks,
                    secret: ChannelSecret(text: self.random()),
                    by: Self.caller,
                    details: Self.details
                ) { channel.settings(over: $0) }
                if hasChanged {
                    haveChanged = true
                    self.logger.notice(
                        "a channel follows the new configuration",
                        metadata: ["channel": "\(channel.id)"]
                    )
                }
            } catch {
                self.logger.error(
                    "a channel cannot follow the new configuration and stays as it was",
                    metadata: ["channel": "\(channel.id)", "error": "\(error.text)", "code": "channel_reload_failed"]
                )
            }
        }
        return haveChanged
    }
}
