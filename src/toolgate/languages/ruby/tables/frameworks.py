"""Rails: its decrypted credentials, and what a program may ask about a secret without showing it."""

ROWS = """
Rails.application(*rest) => instance('Rails.application')
Rails.application.credentials|Rails.application.secrets|Rails.application.encrypted|Rails.application.secret_key_base(*rest, **k) => secret()
secret.each|secret.each_pair|secret.each_key|secret.each_value|secret.each_with_index|secret.select|secret.reject|secret.sort_by|secret.tap(*rest, block=) -> call_with(block, me, me) => same(me)
secret.map|secret.flat_map|secret.to_h|secret.transform_values|secret.sum|secret.then(*rest, block=) => derived(me, block)
secret.keys|secret.key?|secret.has_key?|secret.include?|secret.present?|secret.blank?|secret.nil?|secret.any?|secret.empty?|secret.none?|secret.size|secret.length|secret.count|secret.class|secret.is_a?|secret.respond_to?|secret.valid?|secret.==|secret.eql?|secret.start_with?|secret.end_with?|secret.match?|secret.content_path|secret.key_path(*rest, block=) => test()
Digest.MD5.hexdigest|Digest.SHA1.hexdigest|Digest.SHA256.hexdigest|Digest.SHA512.hexdigest|Digest.SHA256.digest|Digest.SHA256.base64digest|OpenSSL.HMAC.hexdigest|OpenSSL.HMAC.digest|ActiveSupport.SecurityUtils.secure_compare|BCrypt.Password.create(*rest) => test()
"""
