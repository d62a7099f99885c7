import Foundation
import Testing

@testable import RoomServer

@Suite struct ListingTests {
    @Test func `print-config shows every key, its value and its origin`() throws {
        let file = try TemporaryFile(
            #"{"channel": ["talk,history=5", "game,history=off"], "window-total": "unlimited"}"#
        )
        let loaded = try LoadedConfiguration.make(
            "--http=off",
            "--text-room",
            "hall",
            environment: ["ROOMLINE_MAX_LINE": "262144"],
            file: file.path
        )
        // As many as this machine has cores for.
        let loops = "\(loaded.configuration.process.loopCount)".padded(to: 40)
        let golden = """
            tcp                      = 127.0.0.1:10000                           (default)
            http                     = off                                       (flag)
            http-host                =                                           (default)
            admin-socket             = /home/luke/.local/share/roomline/admin.sock  (default)
            metrics                  = local                                     (default)
            pages                    = off                                       (default)
            allow-open-channels      = false                                     (default)
            tcp-backlog              = 4096                                      (default)
            tcp-user-timeout         = 30s                                       (default)
            proxy-protocol           = off                                       (default)
            trusted-proxies          = off                                       (default)
            data                     = /home/luke/.local/share/roomline          (default)
            channel                  = talk,history=5; game,history=off          (file \(file.path))
            accept-lost-channels     = false                                     (default)
            token-skew               = 30s                                       (default)
            cluster                  = off                                       (default)
            cluster-name             = rl                                        (default)
            cluster-partitions       = 16                                        (default)
            cluster-replicas         = 3                                         (default)
            cluster-ca               = off                                       (default)
            cluster-certificate      = off                                       (default)
            cluster-key              = off                                       (default)
            cluster-credentials      = off                                       (default)
            cluster-user             = off                                       (default)
            cluster-password-file    = off                                       (default)
            cluster-nkey             = off                                       (default)
            cluster-nkey-seed        = off                                       (default)
            cluster-monitoring       = off                                       (default)
            text-room                = hall                                      (flag)
            text-channel             = default                                   (default)
            text-listen-after        = 3s                                        (default)
            tls-certificate          = off                                       (default)
            tls-key                  = off                                       (default)
            max-connections          = unlimited                                 (default)
            max-connections-per-ip   = 1000                                      (default)
            connection-rate          = 100                                       (default)
            max-silent-connections   = 10000                                     (default)
            handshake-timeout        = 10s                                       (default)
            token-timeout            = 2m                                        (default)
            text-handshake-timeout   = 5m                                        (default)
            websocket-ping           = 30s                                       (default)
            bad-frame-rate           = 10                                        (default)
            http-header-timeout      = 10s                                       (default)
            http-idle-timeout        = 1m                                        (default)
            max-line                 = 256KiB                                    (environment)
            max-message              = 64KiB                                     (default)
            max-client-data          = 64KiB                                     (default)
            max-nesting              = 64                                        (default)
            max-room-name            = 200                                       (default)
            max-rooms-per-connection = 1000                                      (default)
            max-rooms-per-channel    = 100000                                    (default)
            max-stored-rooms         = 1000000                                   (default)
            max-members-listed       = 1000                                      (default)
            max-member-list          = 1MiB                                      (default)
            max-history-limit        = 1000                                      (default)
            publish-rate             = 20000                                     (default)
            new-room-rate            = 500                                       (default)
            memory-total             = 72MiB                                     (default)
            input-total              = 12MiB                                     (default)
            window-per-room          = 256KiB                                    (default)
            window-total             = unlimited                                 (file \(file.path))
            publish-keys-total       = 32MiB                                     (default)
            max-unread-replies       = 256KiB                                    (default)
            unread-total             = 16MiB                                     (default)
            max-lingering-rooms      = 40000                                     (default)
            log-level                = info                                      (default)
            log-format               = text                                      (default)
            loops                    = \(loops)  (default)
            drain-timeout            = 10s                                       (default)

            """
        #expect(loaded.listing == golden)
    }

    @Test func `what a word or a relative path stands for is shown`() throws {
        let files = try (TemporaryFile("certificate"), TemporaryFile("key"))
        let directory = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: directory.split(separator: "/").count)
        let paths = [files.0, files.1].map { up + $0.path.dropFirst() }
        let loaded = try LoadedConfiguration.make(
            "--data",
            "d/../data",
            "--tls-certificate",
            paths[0],
            "--tls-key",
            paths[1]
        )
        let values = loaded.listing.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        func value(_ key: String) -> String? { values.first { $0[0] == key }?[2] }
        #expect(value("data") == "\(directory)/data" && value("admin-socket") == "\(directory)/data/admin.sock")
        #expect(value("tls-certificate") == files.0.path && value("tls-key") == files.1.path)
        #expect(value("pages") == "on")
    }

    @Test func `a secret is not shown`() throws {
        var option = try #require(OptionTable.option("data"))
        option.isSecret = true
        #expect(option.text(in: ServerConfiguration(storage: .directory("/secret"))) == "<redacted>")
    }
}
