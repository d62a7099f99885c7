import Testing

@testable import RoomServer

@Suite struct ConfigurationCheckTests {
    private func refusal(_ flags: String...) -> String? {
        do {
            _ = try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/home/luke"], file: nil)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `TLS needs both files, readable`() throws {
        let (certificate, key) = (try TemporaryFile("certificate"), try TemporaryFile("key"))
        #expect(self.refusal("--tls-certificate", certificate.path)?.hasSuffix("--tls-key is missing") == true)
        #expect(self.refusal("--tls-key", key.path)?.hasSuffix("--tls-certificate is missing") == true)
        #expect(
            self.refusal("--tls-certificate", certificate.path, "--tls-key", "/nowhere/key.pem")
                == "--tls-key /nowhere/key.pem cannot be read: No such file or directory"
        )
        let loaded = try LoadedConfiguration.make("--tls-certificate", certificate.path, "--tls-key", key.path)
        #expect(loaded.configuration.listen.tls == TLSFiles(certificate: certificate.path, key: key.path))
    }

    @Test func `a PROXY header is believed of nobody by default`() {
        #expect(self.refusal("--proxy-protocol", "required")?.contains("--trusted-proxies 127.0.0.1") == true)
        #expect(self.refusal("--proxy-protocol", "required", "--trusted-proxies", "off") != nil)
        #expect(self.refusal("--proxy-protocol", "required", "--trusted-proxies", "10.0.0.0/8") == nil)
        #expect(self.refusal("--trusted-proxies", "10.0.0.0/8") == nil)
    }

    @Test func `what has to fit into another fits`() {
        #expect(
            self.refusal("--max-message", "256KiB")
                == "--max-message 256KiB does not fit into --max-line 128KiB: lower one or raise the other"
        )
        #expect(self.refusal("--max-client-data", "1MiB")?.contains("--max-line 128KiB") == true)
        #expect(self.refusal("--window-total", "1KiB")?.contains("--window-per-room 256KiB") == true)
        #expect(self.refusal("--max-room-name", "4")?.contains("--text-room lobby") == true)
        #expect(self.refusal("--max-message", "256KiB", "--max-line", "300KiB") == nil)
    }

    @Test func `a channel is given once`() {
        #expect(self.refusal("--channel", "a", "--channel", "a,history=1")?.contains("--channel a") == true)
    }
}
